import { ANSWERS, PROBLEM_TYPE_BASE, validationFailed, type AnswerCode, type Fault } from '@lettermill/problems';
import { codesFor } from './refusal.codes';

export interface Response {
  description: string;
  headers?: Record<string, object>;
  content?: Record<string, object>;
}
export interface Reference {
  $ref: string;
}
export type Responses = Record<string, Response | Reference>;

const integerHeader = (description: string, example: number) => ({
  description,
  schema: { type: 'integer', minimum: 0 },
  example,
});

/** The headers of answers by name: components of the document, to which responses refer. */
export const HEADERS = {
  'X-RateLimit-Limit': integerHeader('Requests allowed per window', 6000),
  'X-RateLimit-Remaining': integerHeader('Requests left in this window', 5999),
  'X-RateLimit-Reset': integerHeader('When the window ends, in Unix epoch seconds', 1_790_000_000),
  'Retry-After': { ...integerHeader('Seconds to wait before the next try', 2), required: true },
  'WWW-Authenticate': {
    description: 'The scheme to authenticate with (RFC 6750)',
    required: true,
    schema: { type: 'string' },
    example: 'Bearer',
  },
};

const headersNamed = (...names: (keyof typeof HEADERS)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Headers of every answer to a call with a valid key, unless the rate limit is off (docs/send.md 14). */
export const rateHeaders = headersNamed('X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset');

const RETRY_AFTER = headersNamed('Retry-After');

/** Headers that come with some of the refusals. */
const HEADERS_BY_CODE: Partial<Record<AnswerCode, Record<string, object>>> = {
  unauthorized: headersNamed('WWW-Authenticate'),
  request_in_progress: RETRY_AFTER,
  rate_limited: RETRY_AFTER,
  no_room_for_body: RETRY_AFTER,
  not_known_yet: RETRY_AFTER,
  unavailable: RETRY_AFTER,
};

const EXAMPLE_FAULT: Fault = { pointer: '/to/0/email', code: 'invalid_email', detail: '«ada»: it has no @' };
const EXAMPLE_OF_UNANSWERED: Fault = {
  pointer: '/to',
  code: 'perhaps_accepted',
  detail: 'A call was never answered; its message would be 0Qk3vZ8mT1xYbN5cRd.',
  message_id: '0Qk3vZ8mT1xYbN5cRd',
};
const EXAMPLE_OF_OTHER_BODY = { pointer: '', code: 'body_differs', detail: ANSWERS.idempotency_key_reused.title };

interface ExampleDetails {
  instance?: string;
  detail?: string;
  /** The entry of `errors`. */
  fault?: object;
}

function example(code: AnswerCode, { instance = '/v2/send/email', detail, fault }: ExampleDetails = {}): object {
  const { title, status, fix } = ANSWERS[code];
  const value = {
    type: PROBLEM_TYPE_BASE + code,
    title,
    status,
    detail: detail ?? title,
    instance,
    request_id: '0199f0c2-7a31-7c54-9d3a-3f0f6c1c2a10',
    code,
    fix,
    ...(fault && { error_count: 1, errors: [fault] }),
  };
  return { summary: title, value };
}

const MESSAGE_PATH = '/v2/messages/0Qk3vZ8mT1xYbN5cRd';
/** Where the example of a code differs: most are those of a send call. */
const EXAMPLE_DETAILS: Partial<Record<AnswerCode, ExampleDetails>> = {
  idempotency_key_reused: { fault: EXAMPLE_OF_OTHER_BODY },
  earlier_call_unanswered: { fault: EXAMPLE_OF_UNANSWERED },
  not_found: { instance: MESSAGE_PATH },
  not_known_yet: { instance: MESSAGE_PATH },
  message_not_cancellable: { instance: `${MESSAGE_PATH}/cancel` },
  message_not_retryable: { instance: `${MESSAGE_PATH}/retry` },
  message_content_gone: { instance: `${MESSAGE_PATH}/retry` },
  address_suppressed: { instance: `${MESSAGE_PATH}/retry` },
  key_in_use: { instance: '/v2/keys/9d4c168e58772e259e' },
  too_many_keys: { instance: '/v2/keys' },
  return_path_forged: { instance: '/v2/inbound/bounces' },
};

const brokenRule = (instance: string, nothingWas?: 'accepted' | 'changed') =>
  example('validation_failed', {
    instance,
    detail: validationFailed([EXAMPLE_FAULT], nothingWas).message,
    fault: EXAMPLE_FAULT,
  });

/** The examples of refusals by name: components of the document, to which responses refer. */
export const PROBLEM_EXAMPLES: Record<string, object> = {
  ...Object.fromEntries(
    (Object.keys(ANSWERS) as AnswerCode[])
      // A method that an address does not allow is no call that the document could show.
      .filter((code) => code !== 'validation_failed' && code !== 'method_not_allowed')
      .map((code) => [code, example(code, EXAMPLE_DETAILS[code])]),
  ),
  validation_failed: brokenRule('/v2/send/email', 'accepted'),
  validation_failed_of_change: brokenRule('/v2/campaigns/welcome', 'changed'),
  validation_failed_of_read: brokenRule('/v2/messages'),
};

function exampleName(code: AnswerCode, path: string, method: string): string {
  if (code !== 'validation_failed' || path.startsWith('/v2/send/')) return code;
  return method === 'get' ? 'validation_failed_of_read' : 'validation_failed_of_change';
}

/** The refusals of calls. Most are components of the document, to which the calls refer. */
export class ProblemResponses {
  readonly components: Record<string, Response> = {};

  /** A response for each status that the codes of the call have. */
  ofCall(path: string, method: string): Responses {
    const codes = codesFor(path, method);
    const statuses = new Set(codes.map((code) => ANSWERS[code].status));
    const ofStatus = (status: number) => codes.filter((code) => ANSWERS[code].status === status);
    return Object.fromEntries([...statuses].map((status) => [status, this.refusal(ofStatus(status), path, method)]));
  }

  /** A component is named after its codes. A refusal with more than two is written out at each call, as few calls have it. */
  private refusal(codes: AnswerCode[], path: string, method: string): Response | Reference {
    const isLimited = path.startsWith('/v2/');
    const exampleNames = codes.map((code) => exampleName(code, path, method));
    const response = problemResponse(codes, exampleNames, isLimited);
    if (codes.length > 2) return response;
    const name = exampleNames.join('_or_') + (isLimited || codes.includes('unauthorized') ? '' : '_unlimited');
    this.components[name] = response;
    return { $ref: `#/components/responses/${name}` };
  }
}

/** `isLimited` if the call is one of those that the rate limit counts; a call without a valid key is not counted. */
function problemResponse(codes: AnswerCode[], exampleNames: string[], isLimited: boolean): Response {
  const ownHeaders = Object.assign({}, ...codes.map((code) => HEADERS_BY_CODE[code])) as Record<string, object>;
  const headers = { ...(isLimited && !codes.includes('unauthorized') && rateHeaders), ...ownHeaders };
  const exampleAt = (index: number) => ({ $ref: `#/components/examples/${exampleNames[index]}` });
  const examples = Object.fromEntries(codes.map((code, index) => [code, exampleAt(index)]));
  return {
    description: codes.map((code) => ANSWERS[code].title).join('; '),
    ...(Object.keys(headers).length > 0 && { headers }),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' }, examples } },
  };
}
