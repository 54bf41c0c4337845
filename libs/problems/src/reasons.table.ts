import { rows, type Row } from './table.row';

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
  too_old: reason(
    'It is older than what is remembered of deliveries',
    'It may have been sent before: its timeline tells. Send a new message if it was not.',
  ),
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
    'See SMTP_URL, EHLO_NAME where our greeting is refused, and the hop itself; it is tried again.',
  ),
  authentication_failed: reason('The next hop did not accept our credentials', 'Mend user and password of SMTP_URL.'),
  tls_failed: reason(
    'No verified TLS connection to the next hop',
    'Mend its certificate, or choose tls in SMTP_URL, and smtp:// or smtps:// by what it speaks first.',
  ),
  refused: reason('The next hop refused the mail', 'See the reply.'),
  signing_failed: reason(
    'The mail can not be signed, and its domain requires that',
    'Publish the records and call POST /v2/domains/{domain}/verify; it is tried again.',
  ),
  given_up: reason('A later server could not deliver it in time', 'See the diagnostic; send it again later.'),
  complained: reason('The recipient reported the mail as unwanted', 'Do not write to the address again.'),
  unsubscribed: reason('The recipient unsubscribed', 'Do not write to the address again.'),
});

export type ReasonCode = keyof typeof REASONS;
