import type { ContactKey, EmailAddress, EmailValue } from './address.schema';
import type { Attachment } from './attachment.schema';
import type { EmailMessageDetails } from './details.schema';
import type { EmailMessageRecipient, EmailRecipient, ProfileData, SendEmailRequest } from './send.schema';

/** One recipient of a request, the same for all forms it can be written in. */
export interface Recipient {
  /** JSON Pointer into the request: `/to`, or `/to/3`. */
  pointer: string;
  /** `kind` is `email`, `sms`, `id` or the name of a custom key; `value` is as given. */
  contactKey: { kind: string; value: string };
  /** Display name of the To header. */
  name?: string;
  /** The mail goes there instead of to the contact's own address. */
  emailAddress?: EmailAddress;
  externalMessageId?: string;
  profileData?: ProfileData;
  message?: EmailMessageDetails;
  attachments?: Attachment[];
}

type NamedContact = Pick<Recipient, 'contactKey' | 'name'>;

function byEmail(email: string, name?: string): NamedContact {
  return { contactKey: { kind: 'email', value: email }, name };
}

function isAddress(value: EmailAddress | ContactKey): value is EmailAddress {
  return Object.hasOwn(value, 'email');
}

/** The contact that an address or a contact key names. */
function namedContact(value: EmailValue | ContactKey): NamedContact {
  if (typeof value === 'string') return byEmail(value);
  if (isAddress(value)) return byEmail(value.email, value.name);
  const [[kind, id]] = Object.entries(value) as [[string, string]];
  return { contactKey: { kind, value: id } };
}

/** The object form of an address, which may be written as a text. */
export function emailAddressOf(value: EmailValue): EmailAddress {
  return typeof value === 'string' ? { email: value } : value;
}

function isFull(recipient: EmailRecipient): recipient is EmailMessageRecipient {
  return typeof recipient === 'object' && Object.hasOwn(recipient, 'contact_key');
}

/** Fields of a recipient that no code reads: they would be accepted without effect. A new one is a type error in `recipientOf`. */
type Unread = Exclude<
  keyof EmailMessageRecipient,
  'contact_key' | 'email_address' | 'external_message_id' | 'profile_data' | 'message' | 'attachments'
>;

function fullRecipient(recipient: EmailMessageRecipient & Record<Unread, never>, pointer: string): Recipient {
  const { contact_key: key, email_address: address, external_message_id: externalMessageId } = recipient;
  const { profile_data: profileData, message, attachments } = recipient;
  return {
    pointer,
    ...namedContact(key),
    emailAddress: address === undefined ? undefined : emailAddressOf(address),
    externalMessageId,
    profileData,
    message,
    attachments,
  };
}

function recipientOf(recipient: EmailRecipient, pointer: string): Recipient {
  return isFull(recipient) ? fullRecipient(recipient, pointer) : { pointer, ...namedContact(recipient) };
}

/** The recipients of a request that `isSendRequest` accepted, in its order. Their parts are shared with the request, not copied. */
export function recipientsOf(request: SendEmailRequest): Recipient[] {
  const { to } = request;
  if (!Array.isArray(to)) return [recipientOf(to, '/to')];
  return to.map((recipient, i) => recipientOf(recipient, `/to/${i}`));
}
