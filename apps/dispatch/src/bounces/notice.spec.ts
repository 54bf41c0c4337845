import type { Field } from './fields';
import { noticeOf, originalMessageId } from './notice';
import type { OpenedMail } from './opened.mail';

describe('what a report says', () => {
  it('ends where the returned mail begins, which is not its first line', () => {
    const text = 'Undelivered mail\n<ada@example.org>: unknown\nOriginal message follows:\nSubject: Hello\n\nDear Ada';
    expect(noticeOf({ text, original: [] as Field[] } as OpenedMail)).toEqual({
      lines: ['Undelivered mail', '<ada@example.org>: unknown'],
      original: [['subject', 'Hello']],
    });
  });
});

it.each([
  ['<one@example.com>', '<one@example.com>'],
  ['<one@example.com> (added by a server)', '<one@example.com>'],
  ['one@example.com', '<one@example.com>'],
  ['none', null],
])('the Message-ID of the returned mail, written as %j, is %j', (written, id) => {
  expect(originalMessageId([], { lines: [], original: [['message-id', written]] }, '')).toBe(id);
});
