import type { AnswerCode } from '@lettermill/problems';

/** What can be wrong with JSON, which all calls with a body read. */
const BODY_CODES: AnswerCode[] = [
  ...(['body_missing', 'content_type_unsupported', 'content_encoding_unsupported'] as const),
  ...(['body_not_utf8', 'body_not_json', 'body_too_complex', 'number_not_exact'] as const),
];

/** Calls that need no body and change one message, domain or key. */
const CODES_BY_ORDER: Record<string, AnswerCode[]> = {
  '/v2/messages/{message_id}/cancel': ['message_not_cancellable'],
  '/v2/domains/{domain}/verify': [],
  '/v2/keys': [
    ...(['too_many_keys', 'content_encoding_unsupported', 'body_not_utf8'] as const),
    ...(['body_too_complex', 'number_not_exact', 'no_room_for_body'] as const),
  ],
  '/v2/keys/{key_id}': ['key_in_use'],
  '/v2/messages/{message_id}/retry': ['message_not_retryable', 'address_suppressed', 'message_content_gone'],
};
/** Calls that read a view, which may not have caught up with everything that was accepted. */
const VIEW_PATHS = ['/v2/messages', '/v2/contacts/'];
const COMMON_ORDER_CODES: AnswerCode[] = [
  ...(['request_malformed', 'body_not_json', 'content_type_unsupported', 'validation_failed', 'unauthorized'] as const),
  ...(['not_found', 'body_too_large', 'request_timeout', 'rate_limited', 'internal_error', 'unavailable'] as const),
];

/** What can be wrong with a report of a bounce or complaint. */
const INBOUND_CODES: AnswerCode[] = [
  ...(['body_missing', 'content_type_unsupported', 'content_encoding_unsupported', 'body_not_utf8'] as const),
  ...(['body_too_large', 'request_timeout', 'no_room_for_body', 'return_path_forged'] as const),
  ...(['validation_failed', 'unauthorized', 'rate_limited', 'internal_error', 'unavailable'] as const),
];

/** The problems that a call may answer. A path parameter can always name something that does not exist. */
export function codesFor(path: string, method: string): AnswerCode[] {
  const ofOrder = CODES_BY_ORDER[path];
  const looksUp: AnswerCode[] = VIEW_PATHS.some((view) => path.startsWith(view)) ? ['not_known_yet'] : [];
  if (ofOrder && method !== 'get') return [...ofOrder, ...looksUp, ...COMMON_ORDER_CODES];
  const codes: AnswerCode[] = [...looksUp, 'request_malformed'];
  if (path.startsWith('/v2/inbound/')) return [...codes, ...INBOUND_CODES];
  const readsBody = method === 'post' || method === 'put';
  // It alone also reads forms, and knows names of requests.
  const sends = path.startsWith('/v2/send/');
  if (readsBody) codes.push(...BODY_CODES);
  if (sends) codes.push('multipart_malformed', 'multipart_json_missing', 'request_in_progress');
  if (path.includes('{') && method !== 'put') codes.push('not_found');
  if (path.startsWith('/mailbox')) codes.push('unauthorized');
  if (path === '/health/ready') codes.push('unavailable');
  if (!path.startsWith('/v2/')) return [...codes, 'internal_error'];
  if (method !== 'get') codes.push('body_too_large', 'request_timeout');
  if (readsBody) codes.push('no_room_for_body');
  if (sends) codes.push('idempotency_key_reused', 'earlier_call_unanswered');
  return [...codes, 'validation_failed', 'unauthorized', 'rate_limited', 'internal_error', 'unavailable'];
}
