import { fetchFailure } from './fetch.failure';

it.each([
  [
    'the code of its cause',
    new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED', message: 'no' } }),
    'ECONNREFUSED',
  ],
  [
    'the text of its cause',
    new TypeError('fetch failed', { cause: new Error('unexpected redirect') }),
    'unexpected redirect',
  ],
  ['its name', new DOMException('aborted', 'TimeoutError'), 'TimeoutError'],
])('a call without an answer is told by %s', (_, error, why) => {
  expect(fetchFailure(error)).toBe(why);
});
