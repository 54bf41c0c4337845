interface Row {
  title: string;
  status: number;
  fix: string;
  /** Whether the same request may succeed later, unchanged. */
  retryable: boolean;
}

const rows = <T extends Record<string, Row>>(table: T): T => table;

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
    fix: 'Mend every entry of `errors` and send the request again; nothing of it was accepted.',
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
  unavailable: passing(
    503,
    'The service can not take requests now',
    'Wait as long as `Retry-After` says and send the same request again; with an Idempotency-Key or external ids nothing is sent twice.',
  ),
});

const fault = (title: string, fix: string): Row => ({ title, status: 422, fix, retryable: false });

/** Entries of `errors` in a 422. */
export const FAULTS = rows({
  missing_property: fault('A required property is missing', 'Add the property.'),
  unknown_property: fault('The property is not known', 'Take it out, or mend its spelling.'),
  wrong_type: fault('The value has the wrong type', 'Use the type that `detail` names.'),
  no_form_matches: fault('The value has none of the allowed forms', 'Use one of the forms that `detail` names.'),
  not_allowed_value: fault('The value is not one of those allowed', 'Use one of the values that `detail` names.'),
  bad_format: fault('The value does not match its pattern', 'Use the pattern that `detail` names.'),
  too_short: fault('The text is too short', 'Use at least as many characters as `detail` names.'),
  too_long: fault('The text is too long', 'Use at most as many characters as `detail` names.'),
  too_few: fault('There are too few items', 'Send at least as many as `detail` names.'),
  too_many: fault('There are too many items', 'Send at most as many as `detail` names.'),
  not_unique: fault('Two items are the same', 'Send each item once.'),
  invalid_email: fault('The address is not valid', 'Use an address of the form local@domain (RFC 5321).'),
  invalid_phone: fault('The phone number is not in E.164 form', 'Use + and 2 to 15 digits, without spaces.'),
  control_character: fault('The text holds a control character', 'Take out line breaks and control characters.'),
  invalid_unicode: fault('The text holds half a character', 'Send whole Unicode characters; no lone surrogates.'),
  invalid_base64: fault(
    'The data is not base64',
    'Use the standard alphabet with padding and no white space (RFC 4648).',
  ),
  attachments_too_large: fault('The attachments of a message are larger than 10 MB', 'Send smaller or fewer files.'),
  attachment_kind_unavailable: fault(
    'This kind of attachment can not be taken here',
    'Send the file as base64 with attachment_type "file".',
  ),
  file_ref_unknown: fault(
    'No part of the multipart body has this name',
    'Send the file as a part whose name is the file_ref.',
  ),
  file_not_kept: fault('The campaign has no such file to keep', 'Send the file itself, as base64 in data.'),
  file_name_missing: fault('The file has no name', 'Give file_name, or a filename in the part.'),
  attachment_fetch_failed: fault(
    'The file can not be fetched',
    'Check the address; it must answer 200 over https within 15 s, and all of one request within 30 s.',
  ),
  attachment_address_refused: fault(
    'Files are not fetched from this address',
    'Use a public https address, or have the operator allow this one (ATTACHMENT_FETCH_ALLOW).',
  ),
  body_too_large_for_mail: fault('A text or html body is larger than 1 MiB', 'Shorten the body.'),
  profile_data_too_large: fault('profile_data is larger than 64 KiB', 'Send less data.'),
  headers_too_large: fault('The headers of a message are larger than 64 KiB', 'Send fewer or shorter headers.'),
  profile_data_too_deep: fault('profile_data is nested deeper than 32 levels', 'Flatten the data.'),
  template_invalid: fault(
    'The template does not parse',
    'Mend the template at the line and column that `detail` names.',
  ),
  invalid_domain: fault('The domain is not valid', 'Use a domain of two names at least, such as example.com.'),
  invalid_private_key: fault(
    'The private key can not be used',
    'Use a PEM of RSA (2048 to 4096 bits) or Ed25519, without a passphrase.',
  ),
  selector_taken: fault(
    'The selector belongs to another key of the domain',
    'Use a new selector for a new key: receivers may still look for the one before.',
  ),
  slug_is_an_id: fault('The slug is the id of a campaign', 'Launch that one by its slug, or choose another slug.'),
  public_url_missing: fault(
    'This server does not know its public address',
    'Have the operator set PUBLIC_URL: unsubscribe links begin with it.',
  ),
  campaign_unknown: fault(
    'There is no such campaign in this account',
    'Launch it with PUT /v2/campaigns/{slug}, or mend the name.',
  ),
  body_differs: fault('The key was first used with another body', 'Use a new key, or send the first body again.'),
  external_message_id_taken: fault(
    'This external_message_id was used before',
    'It is taken for ever: `message_id` names the message that has it.',
  ),
});

const reason = (title: string, fix: string): Row => ({ title, status: 200, fix, retryable: false });

/** Why a message ended (or waits), in `reason.code` of GET /v2/messages/{message_id}. */
export const REASONS = rows({
  no_address: reason('The contact has no email address', 'Give email_address, or a contact key with an email.'),
  contact_not_found: reason('No contact has this id', 'Use an id that a message or GET /v2/contacts answered.'),
  profile_too_large: reason('The profile would grow over 256 KiB', 'Send less profile data.'),
  render_error: reason(
    'The template failed with this data',
    'Mend the template or the data; `detail` tells the place.',
  ),
  render_limit: reason('Rendering passed its limits of time, memory or size', 'Make the template simpler.'),
  content_lost: reason('Stored content of the message is gone', 'Send the message again.'),
  attempts_used_up: reason('Every retry failed', 'See the attempts for the replies; send it again later.'),
  expired: reason('It could not be sent within its valid_for', 'Raise valid_for of the campaign, or see the attempts.'),
  suppressed: reason('The address is suppressed', 'See where the suppression came from.'),
  cancelled: reason('It was cancelled', 'Send it again if that was a mistake.'),
  uncertain: reason('The connection broke after the mail was handed over', 'It may have arrived; see the attempts.'),
  smtputf8_unsupported: reason('The next hop takes no UTF-8 addresses', 'Use an ASCII address, or another next hop.'),
  message_too_large: reason('The mail is larger than the next hop takes', 'Send smaller attachments.'),
  mailbox_unknown: reason('There is no such mailbox', 'Correct the address.'),
  mailbox_full: reason('The mailbox is full', 'Try again later.'),
  mailbox_disabled: reason(
    'The mailbox takes no mail',
    'It may be opened again: the address is not suppressed. Ask its owner.',
  ),
  domain_unknown: reason('The domain takes no mail', 'Correct the address.'),
  policy_refused: reason(
    'The next hop refused the mail by policy',
    'See the reply; mend content, sender or authentication.',
  ),
  throttled: reason('The next hop asks us to slow down', 'Nothing: it is tried again.'),
  greylisted: reason('The next hop asks us to come again later', 'Nothing: it is tried again.'),
  next_hop_unavailable: reason(
    'The next hop can not be reached',
    'See SMTP_URL and the hop itself; it is tried again.',
  ),
  authentication_failed: reason('The next hop did not accept our credentials', 'Mend user and password of SMTP_URL.'),
  tls_failed: reason('No verified TLS connection to the next hop', 'Mend its certificate, or choose tls in SMTP_URL.'),
  refused: reason('The next hop refused the mail', 'See the reply.'),
  signing_failed: reason(
    'The mail can not be signed, and its domain requires that',
    'Publish the records and call POST /v2/domains/{domain}/verify; it is tried again.',
  ),
  given_up: reason('A later server could not deliver it in time', 'See the diagnostic; send it again later.'),
  complained: reason('The recipient reported the mail as unwanted', 'Do not write to the address again.'),
  unsubscribed: reason('The recipient unsubscribed', 'Do not write to the address again.'),
});

export type AnswerCode = keyof typeof ANSWERS;
export type FaultCode = keyof typeof FAULTS;
export type ReasonCode = keyof typeof REASONS;
