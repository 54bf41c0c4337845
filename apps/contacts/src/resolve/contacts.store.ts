import type { MigratedStore } from '@lettermill/storage';
import type { KeyRef, StoredContact } from './contact';

/** Contacts of all accounts. Within an account, a key (email, sms, custom) belongs to at most one contact. */
export interface ContactsStore extends MigratedStore {
  /** The contacts that have one of these keys, each once, in any order. */
  load(refs: KeyRef[]): Promise<StoredContact[]>;
  /** As `load`; undefined, without reading the profiles, if those of these contacts have more than `maxBytes` in all. */
  loadWithin(refs: KeyRef[], maxBytes: number): Promise<StoredContact[] | undefined>;
  /**
   * Saves each contact whose `revision` is still the stored one (null: nothing is stored yet) and whose keys no other contact has. Resolves
   * to the ids of those not saved: nothing of them is stored, they must be loaded and resolved again. Keys are added, never removed.
   */
  save(contacts: StoredContact[]): Promise<string[]>;
  /** Marks every record as neither applied nor merged, because the log may have lost it. Saves that began before are refused. May be repeated. */
  forgetApplied(): Promise<void>;
}

export const CONTACTS_STORE = Symbol('ContactsStore');
