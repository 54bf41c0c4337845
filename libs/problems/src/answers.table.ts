import { rows, type Row } from './table.row';

/** Whatever may go well another time. */
const passing = (status: number, title: string, fix: string): Row => ({ title, status, fix, retryable: true });

const conflict = (title: string, fix: string): Row => ({ title, status: 409, fix, retryable: false });

/** Answers of the HTTP surface (docs/send.md 1): `type` is the code's own address in docs/errors.md. */
export const ANSWERS = rows({
  body_missing: {
    title: 'The request has no body',
    status: 400,
    fix: 'Send a body; with `Content-Type: application/json`, unless `detail` says otherwise.',
    retryable: false,
  },
  content_type_unsupported: {
    title: 'The content type is not one that this call reads',
    status: 400,
    fix: 'Use `application/json` (UTF-8), or what `detail` names; the send call also takes `multipart/form-data`.',
    retryable: false,
  },
  content_encoding_unsupported: {
    title: 'Compressed bodies are not read',
    status: 400,
    fix: 'Send the body as it is, without `Content-Encoding`.',
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
    fix: 'Mend the JSON at the place that `detail` names.',
    retryable: false,
  },
  body_too_complex: {
    title: 'The body has too many values',
    status: 400,
    fix: 'Send fewer recipients or less data in one request; 500,000 values are read.',
    retryable: false,
  },
  number_not_exact: {
    title: 'A number can not be kept as it is written',
    status: 400,
    fix: 'Send numbers beyond the precision of a 64-bit float as texts, such as "12345678901234567890".',
    retryable: false,
  },
  multipart_malformed: {
    title: 'The multipart body can not be read',
    status: 400,
    fix: 'Mend what `detail` names; the body must end with its closing boundary.',
    retryable: false,
  },
  multipart_json_missing: {
    title: 'The multipart body has no part named json',
    status: 400,
    fix: 'Add a part named `json` with content type application/json that holds the request.',
    retryable: false,
  },
  request_malformed: {
    title: 'The request can not be read',
    status: 400,
    fix: 'Mend what `detail` names and send it again.',
    retryable: false,
  },
  unauthorized: {
    title: 'The API key is missing or not valid',
    status: 401,
    fix: 'Send `Authorization: Bearer <API key>` with a key of your account.',
    retryable: false,
  },
  not_found: {
    title: 'There is nothing here by that name',
    status: 404,
    fix: 'Check the path and the id; other accounts can not be seen.',
    retryable: false,
  },
  method_not_allowed: {
    title: 'This address does not take that method',
    status: 405,
    fix: 'Use one of the methods in the `Allow` header.',
    retryable: false,
  },
  request_timeout: passing(
    408,
    'The request took too long to arrive',
    'Send headers within 10 s and the whole request within 60 s.',
  ),
  request_in_progress: passing(
    409,
    'The first request of this name is still being worked on',
    'Wait as long as `Retry-After` says and send the same request again.',
  ),
  message_not_cancellable: conflict(
    'The message can not be cancelled any more',
    'See its state in `detail`; while it is being sent, ask again when the attempt is over.',
  ),
  message_not_retryable: conflict(
    'Another attempt makes no sense for this message',
    'See its state in `detail`; send a new message where it is needed.',
  ),
  address_suppressed: conflict(
    'The address of the message is suppressed',
    'DELETE /v2/suppressions/{address} first, where the address is good again.',
  ),
  message_content_gone: {
    title: 'What was to be sent is not kept any more',
    status: 410,
    fix: 'Send a new message: what bounced or failed at the next hop is kept for a week, what was sent is not.',
    retryable: false,
  },
  key_in_use: conflict(
    'The key that a call is made with can not be revoked by it',
    'Make another key with POST /v2/keys, and revoke this one with that.',
  ),
  too_many_keys: conflict(
    'The account has as many keys as it may have',
    'Revoke one that is not used any more: GET /v2/keys lists them.',
  ),
  body_too_large: {
    title: 'The body is larger than this server reads',
    status: 413,
    fix: 'Send smaller attachments, or raise MAX_BODY_BYTES.',
    retryable: false,
  },
  validation_failed: {
    title: 'The request breaks a rule of the contract',
    status: 422,
    fix: 'Mend every entry of `errors` and make the call again; this one did nothing.',
    retryable: false,
  },
  idempotency_key_reused: {
    title: 'This Idempotency-Key belongs to another request',
    status: 422,
    fix: 'Use a new key for a new request, or send the first body again.',
    retryable: false,
  },
  return_path_forged: {
    title: 'The return path was not signed here',
    status: 422,
    fix: 'Hand over mails as they came; the key that signs return paths is INTERNAL_SECRET.',
    retryable: false,
  },
  rate_limited: passing(429, 'Too many requests', 'Wait as long as `Retry-After` says.'),
  internal_error: passing(
    500,
    'Something went wrong here',
    'Try again; with the same Idempotency-Key nothing is sent twice. Name `request_id` when you report it.',
  ),
  no_room_for_body: passing(
    503,
    'Too many large bodies are in hand',
    'Wait as long as `Retry-After` says and send the same request again, fewer large ones at a time. Files that come as parts of a multipart body need no room.',
  ),
  not_known_yet: passing(
    503,
    'What was accepted last can not be looked up yet',
    'Wait as long as `Retry-After` says and ask again. What a 202 named is on the log and goes its way; there is so much before it that it has not been read for this view.',
  ),
  unavailable: passing(
    503,
    'The service can not take requests now',
    'Wait as long as `Retry-After` says and send the same request again; with an Idempotency-Key or external ids nothing is sent twice.',
  ),
});

export type AnswerCode = keyof typeof ANSWERS;
