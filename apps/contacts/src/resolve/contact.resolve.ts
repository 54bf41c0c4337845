import type { Address, LostCopy, MessageRequested, Reason, Shared } from '@lettermill/events';
import type { ReasonCode } from '@lettermill/problems';
import { keyParts, keyRef, newContact, type KeyRef, type StoredContact } from './contact';
import type { ContactIndex } from './contact.index';
import { isApplied, isPreceded, withMergedName, type PlacedRecord } from './merged.names';
import { mergedText, MAX_PROFILE_BYTES } from './profile.merge';

/** A message to be resolved, with what was read for it beforehand. */
export interface MessageToResolve extends PlacedRecord {
  /** What the recipients share; `lost` if its blob no longer exists. */
  shared: Shared | 'lost' | undefined;
  /** How the message ended the first time, if the record or a copy of it was read before. */
  refusal: Refusal | undefined;
  /** Earlier in the batch, a record of another request carried the message on. */
  isCarried: boolean;
}

/** Why no mail is sent. `address` is set if that address is suppressed. */
export interface Refusal {
  reason: Reason;
  address: string | null;
}

/** `changed`: the message made the contact or changed it, or may have done so when it was applied before. */
type ContactResolution =
  { contact: StoredContact; changed: boolean } | { contact: StoredContact | undefined; changed?: undefined };

interface Onward {
  contact: StoredContact;
  to: Address;
  /** The contact as it is stored if the record was applied before; its outcome stands, whatever has happened since. */
  known?: StoredContact;
  changed: boolean;
  unsubscribed?: Reason;
  suppressedCopies?: LostCopy[];
  refusal?: undefined;
}

/** The message goes on (`to`), or it ends (`refusal`), or neither: a record of another request carried it on, and that is said once. */
export type Resolution =
  | Onward
  | (ContactResolution & { to?: undefined; refusal: Refusal })
  | (ContactResolution & { to?: undefined; refusal?: undefined });

/** What is needed to make a new contact. */
export interface ContactCreation {
  now: number;
  newId(): string;
}

const CODES_WITHOUT_CONTACT_CHANGE = new Set<string>(['content_lost', 'contact_not_found', 'profile_too_large']);

export function refusal(code: ReasonCode, detail: string, address: string | null = null): Refusal {
  return { reason: { code, detail }, address };
}

/** The keys to look up for a message: its contact, and whoever has the address that the contact may adopt. */
export function keysToLookUp({ account_id, contact_key, email_address }: MessageRequested): KeyRef[] {
  const refs = [keyRef(account_id, ...keyParts(contact_key))];
  if (email_address) refs.push(keyRef(account_id, 'email', email_address.email));
  return refs;
}

/** The address the mail is sent to (docs/send.md 6): the one given, else that of the contact key, else that of the contact. */
export function recipientAddress(data: MessageRequested, contact: StoredContact): Address | undefined {
  const [kind, value] = keyParts(data.contact_key);
  const email = data.email_address?.email ?? (kind === 'email' ? value : contact.email);
  if (email === null) return undefined;
  const name = data.email_address?.name ?? data.name;
  return name === undefined ? { email } : { email, name };
}

function withMergedProfile(contact: StoredContact, { data, shared }: MessageToResolve): StoredContact {
  const layers = [shared === 'lost' ? undefined : shared?.profile_data, data.profile_data];
  if (layers.every((layer) => layer === undefined)) return contact;
  const profile = mergedText(contact.profile, ...layers);
  return profile === contact.profile ? contact : { ...contact, profile };
}

/** A contact without an email adopts the address of the message, if no other contact has it (docs/send.md 7). */
function withAdoptedEmail(contact: StoredContact, { data }: MessageToResolve, index: ContactIndex): StoredContact {
  const email = data.email_address?.email;
  const mayAdopt = email !== undefined && contact.email === null && index.isFree(contact.accountId, email);
  return mayAdopt ? { ...contact, email } : contact;
}

/**
 * The contact as it is to be saved: with a new version if it changed, and with what the record and copies of it are known by, so that
 * they are not applied again.
 */
function withApplied(before: StoredContact, after: StoredContact, asked: MessageToResolve, now: number): StoredContact {
  const changed = after !== before || before.version === 0;
  return {
    ...after,
    version: before.version + (changed ? 1 : 0),
    updatedAt: changed ? now : before.updatedAt,
    applied: { ...before.applied, [asked.place]: asked.position },
    merged: withMergedName(before.merged, asked.data),
  };
}

function resolutionFor(
  asked: MessageToResolve,
  contact: StoredContact,
  { known, changed }: { known?: StoredContact; changed: boolean },
): Resolution {
  if (asked.refusal) return { contact, refusal: asked.refusal, changed };
  const to = recipientAddress(asked.data, contact);
  if (to) return { contact, to, known, changed };
  const detail = 'Neither the request nor the contact has an email address.';
  return { contact, refusal: refusal('no_address', detail), changed };
}

/** The mail of a message that goes on gets the data of its own request; if it ends, the contact is told as it is stored. */
function resolutionOfKnown(asked: MessageToResolve, found: StoredContact): Resolution {
  const resolution = resolutionFor(asked, withMergedProfile(found, asked), { known: found, changed: true });
  return resolution.refusal ? { ...resolution, contact: found } : resolution;
}

/**
 * Finds or makes the contact of a message, merges its profile, and chooses the address (docs/send.md 6 to 8). Changes are put into the
 * index. A record that the contact has applied changes nothing, nor does a copy of it; its message still gets the data of its own request,
 * whatever later requests brought. A message that another request's record carried on has that one's mail (docs/send.md 12): of a later
 * one, only the contact gets the data.
 */
export function resolveMessage(asked: MessageToResolve, index: ContactIndex, creation: ContactCreation): Resolution {
  if (asked.refusal && CODES_WITHOUT_CONTACT_CHANGE.has(asked.refusal.reason.code)) {
    return { contact: undefined, refusal: asked.refusal };
  }
  const [kind, value] = keyParts(asked.data.contact_key);
  const found = index.find(keyRef(asked.data.account_id, kind, value));
  const isCarried = !asked.refusal && (asked.isCarried || (found !== undefined && isPreceded(found, asked)));
  const resolution = resolveRecord(asked, found, index, creation);
  return isCarried ? carried(asked, resolution, index, creation.now) : resolution;
}

function resolveRecord(
  asked: MessageToResolve,
  found: StoredContact | undefined,
  index: ContactIndex,
  creation: ContactCreation,
): Resolution {
  const [kind, value] = keyParts(asked.data.contact_key);
  if (found && isApplied(found, asked)) return resolutionOfKnown(asked, found);
  if (asked.shared === 'lost') {
    const detail = 'The data that the recipients of the request share is no longer stored.';
    return { contact: found, refusal: refusal('content_lost', detail) };
  }
  if (!found && kind === 'id') {
    return { contact: undefined, refusal: refusal('contact_not_found', 'No contact of this account has this id.') };
  }
  const { account_id: accountId } = asked.data;
  const before = found ?? newContact({ accountId, kind }, value, creation.newId(), creation.now);
  const after = withAdoptedEmail(withMergedProfile(before, asked), asked, index);
  if (after.profile !== before.profile && Buffer.byteLength(after.profile) > MAX_PROFILE_BYTES) {
    const detail = `With this data the profile would be larger than ${MAX_PROFILE_BYTES} bytes.`;
    return { contact: found, refusal: refusal('profile_too_large', detail) };
  }
  const contact = withApplied(before, after, asked, creation.now);
  index.change(contact);
  return resolutionFor(asked, contact, { changed: contact.version > before.version });
}

/** If its data could not be merged, the contact still gets to know the record: read again, it must not be taken for the first. */
function carried(asked: MessageToResolve, resolution: Resolution, index: ContactIndex, now: number): Resolution {
  if (resolution.to) {
    const { contact, known = contact, changed } = resolution;
    return { contact: known, changed };
  }
  if (resolution.changed !== undefined || !resolution.contact) return { ...resolution, refusal: undefined };
  const contact = withApplied(resolution.contact, resolution.contact, asked, now);
  index.change(contact);
  return { contact, changed: false };
}
