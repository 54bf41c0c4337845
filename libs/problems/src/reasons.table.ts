import { rows, type Row } from './table.row';

const reason = (title: string, fix: string): Row => ({ title, status: 200, fix, retryable: false });

/** Why a message ended (or waits), in `reason.code` of GET /v2/messages/{message_id}. */
export const REASONS = rows({
  no_address: reason('The contact has no email address', 'Give email_address, or a contact key with an email.'),
  contact_not_found: reason(
    'No contact has this id',
    'Use an id from a message or from GET /v2/contacts/{key}/{value}.',
  ),
  profile_too_large: reason('The profile would exceed 256 KiB', 'Send less profile data.'),
  render_error: reason(
    'The template could not be rendered with this data',
    'Correct the template or the data; `detail` names the place. Send a new message.',
  ),
  render_limit: reason('Rendering exceeded a limit of time, memory or size', 'Make the template simpler.'),
  composing_failed: reason('The mail could not be composed', 'See the log of dispatch. The mail is tried again.'),
  content_lost: reason('Stored content of the message is gone', 'Send a new message.'),
  attempts_used_up: reason(
    'Every attempt failed',
    'See the replies in the attempts. Retry it within a week, or send a new message.',
  ),
  expired: reason(
    'The message could not be sent within its valid_for',
    'See the attempts, raise valid_for of the campaign, and send a new message.',
  ),
  too_old: reason(
    'The message is older than the records of deliveries',
    'It may have been sent before; its timeline says whether. If it was not, send a new message.',
  ),
  suppressed: reason(
    'The address is suppressed',
    '`detail` says why. Once it is good again, call DELETE /v2/suppressions/{address} and send a new message.',
  ),
  cancelled: reason('The message was cancelled', 'Send a new message if that was a mistake.'),
  uncertain: reason(
    'The connection broke after the mail was handed over',
    'The mail may have arrived; see the attempts.',
  ),
  smtputf8_unsupported: reason(
    'The next hop does not support UTF-8 addresses',
    'Use an ASCII address, or another next hop.',
  ),
  message_too_large: reason('The mail is larger than the next hop accepts', 'Send smaller attachments.'),
  mailbox_unknown: reason('There is no such mailbox', 'Correct the address.'),
  mailbox_full: reason(
    'The mailbox is full',
    'Waiting mails are tried again. Retry a bounced one later, within a week.',
  ),
  mailbox_disabled: reason(
    'The mailbox accepts no mail',
    'It may be enabled again, so the address is not suppressed. Ask its owner.',
  ),
  domain_unknown: reason('The domain does not exist, or accepts no mail', 'Correct the address.'),
  policy_refused: reason(
    'The next hop refused the mail because of its policy',
    'See the reply; correct the content, the sender or the authentication.',
  ),
  throttled: reason('The next hop asks us to slow down', 'Nothing: mail goes at the rate that the hop takes.'),
  greylisted: reason('The next hop asks us to try again later', 'Nothing: waiting mails are tried again.'),
  next_hop_unavailable: reason(
    'The next hop cannot be reached',
    'Check SMTP_URL, the next hop itself and, if it refuses our greeting, EHLO_NAME. Waiting mails are tried again.',
  ),
  authentication_failed: reason(
    'The next hop did not accept our credentials',
    'Correct the user and password in SMTP_URL. If the hop logs in by tokens alone (XOAUTH2), use another way to it.',
  ),
  tls_failed: reason(
    'There is no verified TLS connection to the next hop',
    'Correct its certificate. If an authority of your own issued it, name that by NODE_EXTRA_CA_CERTS. Use smtps:// if it speaks TLS first, else smtp://. Without a password in SMTP_URL, its tls may be opportunistic.',
  ),
  refused: reason('The next hop refused the mail', 'See the reply.'),
  signing_failed: reason(
    'The mail cannot be signed, and its domain requires a signature',
    'Publish the records and call POST /v2/domains/{domain}/verify. The mail is tried again.',
  ),
  given_up: reason('A later server could not deliver the mail in time', 'See `detail`; send a new message later.'),
  complained: reason('The recipient reported the mail as unwanted', 'Do not write to the address again.'),
  unsubscribed: reason('The recipient unsubscribed', 'Write only mails of campaigns without unsubscribe links.'),
});

export type ReasonCode = keyof typeof REASONS;
