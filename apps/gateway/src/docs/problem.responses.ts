import { ANSWERS, PROBLEM_TYPE_BASE, validationFailed, type AnswerCode, type Fault } from '@lettermill/problems';

export interface Response {
  description: string;
  headers?: Record<string, object>;
  content?: Record<string, object>;
}
export type Responses = Record<string, Response>;

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

/**
 * Problems of a body of the call by its content type: JSON, which all calls with a body read, and multipart, which only POST /v2/send/email
 * reads.
 */
const BODY_CODES: AnswerCode[] = [
  ...(['body_missing', 'content_type_unsupported', 'content_encoding_unsupported'] as const),
  ...(['body_not_utf8', 'body_not_json', 'body_too_complex', 'number_not_exact'] as const),
];
const MULTIPART_CODES: AnswerCode[] = ['multipart_malformed', 'multipart_json_missing'];

/** Calls that need no body and change one message, domain or key. */
const CODES_BY_ORDER: Record<string, AnswerCode[]> = {
  '/v2/messages/{message_id}/cancel': ['message_not_cancellable'],
  '/v2/domains/{domain}/verify': [],
  '/v2/keys': [
    ...(['too_many_keys', 'validation_failed', 'content_encoding_unsupported', 'body_not_utf8'] as const),
    ...(['body_too_complex', 'number_not_exact', 'no_room_for_body'] as const),
  ],
  '/v2/keys/{key_id}': ['key_in_use'],
  '/v2/messages/{message_id}/retry': ['message_not_retryable', 'address_suppressed', 'message_content_gone'],
};
/** Calls that read a view, which may not have caught up with everything that was accepted. */
const VIEW_PATHS = ['/v2/messages', '/v2/contacts/'];
const COMMON_ORDER_CODES: AnswerCode[] = [
  ...(['request_malformed', 'body_not_json', 'content_type_unsupported', 'unauthorized', 'not_found'] as const),
  ...(['body_too_large', 'request_timeout', 'rate_limited', 'internal_error', 'unavailable'] as const),
];

/** What can be wrong with a report of a bounce or complaint. */
const INBOUND_CODES: AnswerCode[] = [
  ...(['body_missing', 'content_type_unsupported', 'content_encoding_unsupported', 'body_not_utf8'] as const),
  ...(['body_too_large', 'request_timeout', 'no_room_for_body', 'return_path_forged'] as const),
  ...(['unauthorized', 'rate_limited', 'internal_error', 'unavailable'] as const),
];

/** The problems that a call may answer. A path parameter can always name something that does not exist. */
export function codesFor(path: string, method: string): AnswerCode[] {
  const ofOrder = CODES_BY_ORDER[path];
  const looksUp: AnswerCode[] = VIEW_PATHS.some((view) => path.startsWith(view)) ? ['not_known_yet'] : [];
  if (ofOrder && method !== 'get') return [...ofOrder, ...looksUp, ...COMMON_ORDER_CODES];
  const codes: AnswerCode[] = [...looksUp, 'request_malformed'];
  if (path.startsWith('/v2/inbound/')) return [...codes, ...INBOUND_CODES];
  const readsBody = method === 'post' || method === 'put';
  if (readsBody) codes.push(...BODY_CODES);
  if (method === 'post') codes.push(...MULTIPART_CODES, 'request_in_progress');
  if (path.includes('{') && method !== 'put') codes.push('not_found');
  if (path.startsWith('/mailbox')) codes.push('unauthorized');
  if (path === '/health/ready') codes.push('unavailable');
  if (!path.startsWith('/v2/')) return [...codes, 'internal_error'];
  if (method !== 'get') codes.push('body_too_large', 'request_timeout');
  if (readsBody) codes.push('no_room_for_body');
  if (readsBody || !path.includes('{')) codes.push('validation_failed');
  if (method === 'post') codes.push('idempotency_key_reused');
  return [...codes, 'unauthorized', 'rate_limited', 'internal_error', 'unavailable'];
}

const EXAMPLE_FAULT: Fault = { pointer: '/to/0/email', code: 'invalid_email', detail: '«ada»: it has no @' };
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

/** A response for each status that the codes have, with an example for each code. */
export function problemResponses(codes: AnswerCode[], path: string, method: string): Responses {
  const responses: Responses = {};
  for (const status of new Set(codes.map((code) => ANSWERS[code].status))) {
    const ofStatus = codes.filter((code) => ANSWERS[code].status === status);
    const headers = Object.assign({}, ...ofStatus.map((code) => HEADERS_BY_CODE[code])) as Record<string, object>;
    const exampleOf = (code: AnswerCode) => ({ $ref: `#/components/examples/${exampleName(code, path, method)}` });
    const examples = Object.fromEntries(ofStatus.map((code) => [code, exampleOf(code)]));
    const description = ofStatus.map((code) => ANSWERS[code].title).join('; ');
    responses[String(status)] = {
      description,
      ...(Object.keys(headers).length > 0 && { headers }),
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' }, examples } },
    };
  }
  return responses;
}
