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
const errorHeadersOf = (error: unknown) => {
  const { headers } = deadLetterOf({ record, error }, 'g');
  return [headers['error-code'], headers.error];
};

describe('the error in a dead letter', () => {
  it('is limited, so that it fits beside the headers of the record', () => {
    const [code, error] = errorHeadersOf(Object.assign(new Error('x'.repeat(100_000)), { code: 'y'.repeat(100_000) }));
    expect([code!.length, error!.length]).toEqual([100, 1000]);
  });

  it.each([
    ['a parser that quotes what it read', new SyntaxError('Unexpected token A in JSON: {"name":"Ada"}'), 'SyntaxError'],
    ['quotes of the value, and addresses', new Error('"Ada" of ada@example.com, not "x"'), 'Error: … of …, not "x"'],
    ['a thrown value that is not an error', { message: 'Ada' }, 'something that is no error was thrown'],
    ['a thrown undefined', undefined, 'something that is no error was thrown'],
  ])('contains no content of the record: %s', (_, error, text) => {
    expect(errorHeadersOf(error)).toEqual(['handler_failed', text]);
  });
});
