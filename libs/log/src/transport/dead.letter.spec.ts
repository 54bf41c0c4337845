import type { LogRecord } from '../log.port';
import { deadLetterOf } from './dead.letter';

const record: LogRecord = {
  topic: 't',
  partition: 0,
  position: 7,
  appendedAt: 0,
  key: 'k',
  value: Buffer.from('{"name":"Ada"}'),
  headers: { ce_id: '1' },
};
const told = (error: unknown) => {
  const { headers } = deadLetterOf({ record, error }, 'g');
  return [headers['error-code'], headers.error];
};

describe('what a dead letter says of its error', () => {
  it('is bounded, so that there is room for it beside the headers of the record', () => {
    const [code, error] = told(Object.assign(new Error('x'.repeat(100_000)), { code: 'y'.repeat(100_000) }));
    expect([code!.length, error!.length]).toEqual([100, 1000]);
  });

  it.each([
    ['a parser that quotes what it read', new SyntaxError('Unexpected token A in JSON: {"name":"Ada"}'), 'SyntaxError'],
    [
      'what is quoted of the value, and addresses',
      new Error('"Ada" of ada@example.com, not "x"'),
      'Error: … of …, not "x"',
    ],
    ['what is no error', { message: 'Ada' }, 'something that is no error was thrown'],
    ['nothing at all', undefined, 'something that is no error was thrown'],
  ])('leaves out content: %s', (_, error, text) => {
    expect(told(error)).toEqual(['handler_failed', text]);
  });
});
