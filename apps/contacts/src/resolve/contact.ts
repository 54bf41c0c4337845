import { matchedEmail, type Contact, type ContactKey, type KnownContact } from '@lettermill/events';
import type { Place } from '../positions/record.place';

/** A contact as it is stored. Times are milliseconds since the epoch. */
export interface StoredContact {
  accountId: string;
  id: string;
  /** As first written; `keyRef` defines how it is matched. */
  email: string | null;
  sms: string | null;
  /** Custom keys. */
  keys: Record<string, string>;
  /** Compact JSON. Profiles are parsed one at a time when they are merged: all those of a batch could take gigabytes. */
  profile: string;
  /** Counts changes of the keys or the profile, from 1. */
  version: number;
  /** Last position applied of each partition; records at or before it are not merged again. */
  applied: Record<Place, number>;
  /** The messages merged last, as `mergedName` writes them: a copy of one that comes late is not merged again, over newer data. */
  merged: string[];
  /** Identifies the stored state (compare-and-set); null if nothing is stored yet. */
  revision: string | null;
  createdAt: number;
  updatedAt: number;
}

/** A key of a contact, in the form in which it is matched. `kind` is email, sms, id or the name of a custom key. */
export interface KeyRef {
  accountId: string;
  kind: string;
  value: string;
}

/** Emails match in any spelling of the mailbox, all other keys only exactly (docs/send.md 7). */
export function keyRef(accountId: string, kind: string, value: string): KeyRef {
  return { accountId, kind, value: kind === 'email' ? matchedEmail(value) : value };
}

/** The single property of a contact key (contract: ContactKey). */
export function keyParts(key: ContactKey): [kind: string, value: string] {
  return Object.entries(key)[0]!;
}

/** All keys that belong to this contact alone, except its id. */
export function keysOf({ accountId, email, sms, keys }: StoredContact): KeyRef[] {
  const refs = Object.entries(keys).map(([kind, value]) => keyRef(accountId, kind, value));
  if (email !== null) refs.push(keyRef(accountId, 'email', email));
  if (sms !== null) refs.push(keyRef(accountId, 'sms', sms));
  return refs;
}

/** A contact of which only this key is known; its version is 0 until something is merged. */
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
    merged: [],
    revision: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** The contact as the events carry it that end a message. */
export function knownContact({ id, email, sms, keys }: StoredContact): KnownContact {
  return { id, email, sms, keys };
}

/** The contact as `ContactUpserted` carries it, without its profile. */
export function contactData(contact: StoredContact): Omit<Contact, 'profile'> {
  return { ...knownContact(contact), version: contact.version };
}
