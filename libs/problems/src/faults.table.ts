import { rows, type Row } from './table.row';

const fault = (title: string, fix: string): Row => ({ title, status: 422, fix, retryable: false });

/** Entries of `errors` in a 422. */
export const FAULTS = rows({
  missing_property: fault('A required property is missing', 'Add the property.'),
  unknown_property: fault('The property is not known', 'Remove it, or correct its spelling.'),
  wrong_type: fault('The value has the wrong type', 'Use the type that `detail` names.'),
  no_form_matches: fault('The value has none of the allowed forms', 'Use one of the forms that `detail` names.'),
  not_allowed_value: fault('The value is not one of those allowed', 'Use one of the values that `detail` names.'),
  bad_format: fault('The value does not match its pattern', 'Use a value that matches the pattern in `detail`.'),
  too_short: fault('The text is too short', 'Use at least as many characters as `detail` names.'),
  too_long: fault('The text is too long', 'Use at most as many characters as `detail` names.'),
  too_few: fault('There are too few items', 'Send at least as many as `detail` names.'),
  too_many: fault('There are too many items', 'Send at most as many as `detail` names.'),
  not_unique: fault('Two items are the same', 'Send each item once.'),
  invalid_email: fault('The address is not valid', 'Use an address of the form local@domain (RFC 5321).'),
  invalid_phone: fault('The phone number is not in E.164 form', 'Use + and 2 to 15 digits, without spaces.'),
  control_character: fault('The text contains a control character', 'Remove line breaks and control characters.'),
  invalid_unicode: fault(
    'The text contains half a character',
    'Send whole Unicode characters, without lone surrogates.',
  ),
  invalid_base64: fault(
    'The data is not base64',
    'Use the standard alphabet with padding and no white space (RFC 4648).',
  ),
  attachments_too_large: fault('The attachments of a message are larger than 10 MB', 'Send smaller or fewer files.'),
  attachment_kind_unavailable: fault(
    'This kind of attachment is not accepted here',
    'Send the file as base64 with attachment_type "file", or name its https address with "url".',
  ),
  file_ref_unknown: fault(
    'No part of the multipart body has this name',
    'Send the file as a part whose name is the file_ref.',
  ),
  cid_taken: fault('Two files of a message have the same cid', 'Give each file of a message its own cid.'),
  file_not_kept: fault('The campaign has no such file to keep', 'Send the file itself, as base64 in data.'),
  file_name_missing: fault(
    'The file has no name',
    'Give file_name, or a filename in the part: 1 to 255 characters, without path or control characters.',
  ),
  attachment_fetch_failed: fault(
    'The file cannot be fetched',
    'Check the address. It must answer 200 over https within 15 s, and all files of a request within 30 s.',
  ),
  attachment_address_refused: fault(
    'Files are not fetched from this address',
    'Use a public https address, or ask the operator to allow this one (ATTACHMENT_FETCH_ALLOW).',
  ),
  body_too_large_for_mail: fault('A text or html body is larger than 1 MiB', 'Shorten the body.'),
  profile_data_too_large: fault('profile_data is larger than 64 KiB', 'Send less data.'),
  headers_too_large: fault('The headers of a message are larger than 64 KiB', 'Send fewer or shorter headers.'),
  profile_data_too_deep: fault('profile_data is nested deeper than 32 levels', 'Flatten the data.'),
  template_invalid: fault(
    'The template does not parse',
    'Correct the template at the line and column that `detail` names.',
  ),
  template_not_read: fault(
    'Templates are not read here',
    'Write the value as it is to be sent. What differs from mail to mail comes with each call, in `message` or `attachments`.',
  ),
  invalid_domain: fault('The domain is not valid', 'Use a domain of at least two labels, such as example.com.'),
  invalid_private_key: fault(
    'The private key cannot be used',
    'Use a PEM of RSA (2048 to 4096 bits) or Ed25519, without a passphrase.',
  ),
  selector_taken: fault(
    'The selector belongs to another key of the domain',
    'Use a new selector for a new key: receivers may still look up the old one.',
  ),
  slug_is_an_id: fault('The slug is the id of a campaign', 'Launch that campaign by its slug, or choose another slug.'),
  public_url_missing: fault(
    'This server does not know its public address',
    'Ask the operator to set PUBLIC_URL: unsubscribe links begin with it.',
  ),
  campaign_unknown: fault(
    'There is no such campaign in this account',
    'Launch it with PUT /v2/campaigns/{slug}, or correct the name.',
  ),
  body_differs: fault(
    'The key was first used with another body',
    'Send the first body again. A new request needs a new key.',
  ),
  external_message_id_taken: fault(
    'This external_message_id was used before',
    'An id is taken for ever. `message_id` names the message that has this one; `detail` says if its call was never answered.',
  ),
  perhaps_accepted: fault(
    'A call that was never answered may have left this message',
    'Look up the message that `message_id` names: GET /v2/messages/{message_id}. If it is not found, it was not accepted.',
  ),
});

export type FaultCode = keyof typeof FAULTS;
