import { HttpException } from '@nestjs/common';
import { Problem } from '@lettermill/problems';
import { problemFrom } from './problem.filter';

const fastifyError = (code: string, statusCode: number) => Object.assign(new Error('by Fastify'), { code, statusCode });

describe('what is thrown becomes a problem', () => {
  it.each([
    ['a problem', new Problem('rate_limited', 'Later.'), 'rate_limited', 'Later.'],
    ['a path without a route', new HttpException('Cannot GET /x', 404), 'not_found', 'Cannot GET /x'],
    ['a file that nobody may see', new HttpException('Forbidden', 403), 'not_found', 'There is nothing at this path.'],
    ['another refusal of Nest', new HttpException('Odd', 400), 'request_malformed', 'Odd'],
    ['a body that Nest says is too large', new HttpException('Large', 413), 'body_too_large', 'Large'],
    ['a body of a wrong length', fastifyError('FST_ERR_X', 400), 'request_malformed', 'by Fastify'],
    ['a body that is too large', fastifyError('FST_ERR_CTP_BODY_TOO_LARGE', 413), 'body_too_large', 'by Fastify'],
    [
      'a type that is none',
      fastifyError('FST_ERR_CTP_INVALID_MEDIA_TYPE', 415),
      'content_type_unsupported',
      expect.stringContaining('not one media type'),
    ],
    [
      'a store that is away',
      { retryable: true, message: 'mongodb:27017' },
      'unavailable',
      expect.not.stringMatching('27017'),
    ],
    ['a fault of Nest', new HttpException('secret', 500), 'internal_error', expect.not.stringMatching('secret')],
    ['a fault of Fastify', fastifyError('FST_ERR_X', 500), 'internal_error', expect.not.stringMatching('Fastify')],
    ['a defect', new TypeError('secret'), 'internal_error', expect.not.stringMatching('secret')],
    ['nothing', undefined, 'internal_error', expect.any(String)],
  ])('%s', (_what, thrown, code, message) => {
    expect(problemFrom(thrown)).toMatchObject({ code, message });
  });
});
