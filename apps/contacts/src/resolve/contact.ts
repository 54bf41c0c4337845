import { matchedEmail, type Contact, type ContactKey } from '@lettermill/events';
import type { Place } from '../reach/record.place';

/** A contact as its store keeps it. Times are milliseconds since the epoch. */
export interface StoredContact {
  accountId: string;
  id: string;
  /** As first written; `keyRef` says how it is matched. */
  email: string | null;
  sms: string | null;
  /** Custom keys. */
  keys: Record<string, string>;
  /** Compact JSON. It is parsed where it is merged, one at a time: of a batch they could take gigabytes. */
  profile: string;
  /** Counts what changed the keys or the profile, from 1. */
  version: number;
  /** Position last applied of each partition: what lies at or before it is not merged again. */
  applied: Record<Place, number>;
  /** Names the state that the store holds (compare-and-set); null as long as it holds none. */
  revision: string | null;
  createdAt: number;
  updatedAt: number;
}

/** One key that names a contact, in the form in which it is matched. `kind` is email, sms, id or a custom name. */
export interface KeyRef {
  accountId: string;
  kind: string;
  value: string;
}

/** Emails match in any spelling of the mailbox, everything else exactly (docs/send.md 7). */
export function keyRef(accountId: string, kind: string, value: string): KeyRef {
  return { accountId, kind, value: kind === 'email' ? matchedEmail(value) : value };
}

/** The one property of a contact key (contract: ContactKey). */
export function keyParts(key: ContactKey): [kind: string, value: string] {
  return Object.entries(key)[0]!;
}

/** Every key that the contact holds for itself alone, its id apart. */
export function keysOf({ accountId, email, sms, keys }: StoredContact): KeyRef[] {
  const refs = Object.entries(keys).map(([kind, value]) => keyRef(accountId, kind, value));
  if (email !== null) refs.push(keyRef(accountId, 'email', email));
  if (sms !== null) refs.push(keyRef(accountId, 'sms', sms));
  return refs;
}

/** A contact that nothing but this key tells of; version 0 until something is merged. */
export function newContact(ref: Omit<KeyRef, 'value'>, value: string, id: string, now: number): StoredContact {
  const { accountId, kind } = ref;
  return {
    accountId,
    id,
    email: kind === 'email' ? value : null,
    sms: kind === 'sms' ? value : null,
    keys: kind === 'email' || kind === 'sms' ? {} : Object.fromEntries([[kind, value]]),
    profile: '{}',
    version: 0,
    applied: {},
    revision: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** What an event says of a contact, beside its profile. */
export function contactData({ id, email, sms, keys, version }: StoredContact): Omit<Contact, 'profile'> {
  return { id, email, sms, keys, version };
}
