import { rows, type Row } from './table.row';

/** A refusal of a call that may succeed later, unchanged. */
const temporary = (status: number, title: string, fix: string): Row => ({ title, status, fix, retryable: true });

const conflict = (title: string, fix: string): Row => ({ title, status: 409, fix, retryable: false });

/** Refusals of the HTTP API (docs/send.md 1). Their `type` is the address of the code in docs/errors.md. */
export const ANSWERS = rows({
  body_missing: {
    title: 'The request has no body',
    status: 400,
    fix: 'Send a body, with `Content-Type: application/json` unless `detail` says otherwise.',
    retryable: false,
  },
  content_type_unsupported: {
    title: 'This call does not accept the content type',
    status: 400,
    fix: 'Use `application/json` (UTF-8), or what `detail` names; the send call also accepts `multipart/form-data`.',
    retryable: false,
  },
  content_encoding_unsupported: {
    title: 'Compressed bodies are not accepted',
    status: 400,
    fix: 'Send the body uncompressed, without `Content-Encoding`.',
    retryable: false,
  },
  body_not_utf8: {
    title: 'The body is not UTF-8',
    status: 400,
    fix: 'Encode the body as UTF-8.',
    retryable: false,
  },
  body_not_json: {
    title: 'The body is not JSON',
    status: 400,
    fix: 'Correct the JSON at the place that `detail` names.',
    retryable: false,
  },
  body_too_complex: {
    title: 'The body has too many values',
    status: 400,
    fix: 'Send fewer recipients or less data in one request; it can have 500,000 values.',
    retryable: false,
  },
  number_not_exact: {
    title: 'A number cannot be stored exactly as written',
    status: 400,
    fix: 'Send numbers beyond the precision of a 64-bit float as text, such as "12345678901234567890".',
    retryable: false,
  },
  multipart_malformed: {
    title: 'The multipart body cannot be read',
    status: 400,
    fix: 'Correct what `detail` names. The body must end with its closing boundary.',
    retryable: false,
  },
  multipart_json_missing: {
    title: 'The multipart body has no part named json',
    status: 400,
    fix: 'Add a part named `json` with content type application/json that holds the request.',
    retryable: false,
  },
  request_malformed: {
    title: 'The request cannot be read',
    status: 400,
    fix: 'Correct what `detail` names and send the request again.',
    retryable: false,
  },
  unauthorized: {
    title: 'The API key is missing or invalid',
    status: 401,
    fix: 'Send `Authorization: Bearer <API key>` with a key of your account.',
    retryable: false,
  },
  not_found: {
    title: 'There is nothing here by that name',
    status: 404,
    fix: 'Check the path and the id. Other accounts are not visible.',
    retryable: false,
  },
  method_not_allowed: {
    title: 'The path does not support this method',
    status: 405,
    fix: 'Use one of the methods in the `Allow` header.',
    retryable: false,
  },
  request_timeout: temporary(
    408,
    'The request took too long to arrive',
    'Send the headers within 10 s and the whole request within 60 s.',
  ),
  request_in_progress: temporary(
    409,
    'The first request with this key or id is still in progress',
    'Wait as long as `Retry-After` says, then send the same request again.',
  ),
  message_not_cancellable: conflict(
    'The message can no longer be cancelled',
    '`detail` names its state. If it is being sent, ask again after the attempt.',
  ),
  message_not_retryable: conflict(
    'The message cannot be retried',
    '`detail` names its state. Send a new message if you need one.',
  ),
  address_suppressed: conflict(
    'The address of the message is suppressed',
    'If the address is good again, call DELETE /v2/suppressions/{address} first.',
  ),
  message_content_gone: {
    title: 'The mail is no longer stored',
    status: 410,
    fix: 'Send a new message. A mail is kept for a week if it bounced or failed at the next hop, and not at all once it was sent or has expired.',
    retryable: false,
  },
  key_in_use: conflict(
    'A call cannot revoke the key that it is made with',
    'Create another key with POST /v2/keys, and use it to revoke this one.',
  ),
  too_many_keys: conflict(
    'The account has the largest number of keys allowed',
    'Revoke one that is no longer used: GET /v2/keys lists them.',
  ),
  body_too_large: {
    title: 'The body is larger than this server accepts',
    status: 413,
    fix: 'Send smaller attachments, or raise MAX_BODY_BYTES.',
    retryable: false,
  },
  validation_failed: {
    title: 'The request breaks a rule of the contract',
    status: 422,
    fix: 'Correct every entry of `errors` and make the call again. This call did nothing.',
    retryable: false,
  },
  idempotency_key_reused: {
    title: 'This Idempotency-Key belongs to another request',
    status: 422,
    fix: 'Use a new key for a new request, or send the first body again.',
    retryable: false,
  },
  earlier_call_unanswered: {
    title: 'An earlier call with this key or id was never answered',
    status: 422,
    fix: 'Its messages may have been accepted. Look up each `message_id` of `errors` (GET /v2/messages/{message_id}) before you send anything else: one that is not found, in a cluster not even some minutes later, was not accepted.',
    retryable: false,
  },
  return_path_forged: {
    title: 'The return path was not signed here',
    status: 422,
    fix: 'Hand over mails unchanged. If INTERNAL_SECRET was changed (embedded: instance-secret), set the former one, too.',
    retryable: false,
  },
  rate_limited: temporary(429, 'Too many requests', 'Wait as long as `Retry-After` says.'),
  internal_error: temporary(
    500,
    'Something went wrong on this server',
    'Try again; with the same Idempotency-Key nothing is sent twice. Name `request_id` if you report it.',
  ),
  no_room_for_body: temporary(
    503,
    'Too many large bodies are in progress',
    'Wait as long as `Retry-After` says, then send the same request again. Send fewer large ones at a time, or send files as parts of a multipart body, which do not count.',
  ),
  not_known_yet: temporary(
    503,
    'What was accepted recently cannot be looked up yet',
    'Wait as long as `Retry-After` says, then ask again. A message that got its 202 is on its way; this view lags behind.',
  ),
  unavailable: temporary(
    503,
    'The service cannot accept requests now',
    'Wait as long as `Retry-After` says, then send the same request again. With an Idempotency-Key or external ids, nothing is sent twice.',
  ),
});

export type AnswerCode = keyof typeof ANSWERS;
