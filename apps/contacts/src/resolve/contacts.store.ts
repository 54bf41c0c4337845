import type { MigratedStore } from '@lettermill/storage';
import type { KeyRef, StoredContact } from './contact';

/** Contacts of all accounts. A key (email, sms, custom) belongs to one contact of its account at most. */
export interface ContactsStore extends MigratedStore {
  /** The contacts that have one of these keys, each once, in any order. */
  load(refs: KeyRef[]): Promise<StoredContact[]>;
  /** As `load`; undefined where the profiles of these contacts have more bytes than that in all, which are not read then. */
  loadWithin(refs: KeyRef[], mostBytes: number): Promise<StoredContact[] | undefined>;
  /**
   * Saves each contact whose `revision` is still the one stored (null: none is) and whose keys no other contact has.
   * Answers the ids of those not saved: nothing of them is stored, they are to be loaded and worked out again.
   * Keys are added, never taken away.
   */
  save(contacts: StoredContact[]): Promise<string[]>;
  /** No contact has applied any record: the log begins anew. Saves that began before are refused. May be repeated. */
  forgetApplied(): Promise<void>;
}

export const CONTACTS_STORE = Symbol('ContactsStore');
