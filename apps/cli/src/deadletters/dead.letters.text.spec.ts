import type { DeadLetterEntry } from '@lettermill/log';
import { contentText, listText, reportText } from './dead.letters.text';

const entry: DeadLetterEntry = {
  id: '3:17',
  at: '2026-11-21T12:00:00.000Z',
  origin: { topic: 'message-queued', partition: 3, offset: 4 },
  group: 'dispatch',
  code: 'too_odd',
  error: 'Error: no \u001b[2J',
  event: { id: 'm/1', type: 'MessageQueued' },
  size: 2,
  content: 'kept',
};

it('lists dead letters in columns, and says how many are left out', () => {
  expect(listText({ total: 0, data: [] })).toBe('No dead letters.\n');
  const [head, row, rest] = listText({ total: 3, data: [entry] }).split('\n');
  expect(head!.indexOf('GROUP')).toBe(row!.indexOf('dispatch'));
  expect(row).toBe('3:17  2026-11-21T12:00:00.000Z  dispatch  too_odd  message-queued/3@4  MessageQueued m/1');
  expect(rest).toMatch(/2 more/);
});

it('lets no control characters of a record reach the terminal', () => {
  const text = contentText({
    ...entry,
    key: 'k\u001b]0;x\u0007',
    headers: { 'x\n': '\u009b31m' },
    value: { text: '{"a":\n"\u001b[31m\u2028\u202e"}' },
    decision: null,
  });
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  expect(text).toContain('{"a":\n"\ufffd[31m\ufffd\ufffd"}');
  expect(listText({ total: 1, data: [{ ...entry, code: 'a\nb' }] }).split('\n')).toHaveLength(3);
});

it('reports what was done, and why something was refused', () => {
  const report = reportText('redriven', { done: ['1:1', '1:2'], refused: [{ id: '9:9', why: 'unknown' }] });
  expect(report).toBe('2 redriven\n9:9: there is no such dead letter\n');
});
