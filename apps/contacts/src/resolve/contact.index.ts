import { keyRef, keysOf, type KeyRef, type StoredContact } from './contact';

const keyName = ({ accountId, kind, value }: KeyRef) => JSON.stringify([accountId, kind, value]);
const idName = (accountId: string, id: string) => keyName({ accountId, kind: 'id', value: id });

/**
 * The contacts that a batch works on, found by any of their keys. Contacts are values: a change replaces the contact and never modifies it.
 */
export class ContactIndex {
  private readonly contacts = new Map<string, StoredContact>();
  private readonly idNameByKey = new Map<string, string>();
  private readonly changedNames = new Set<string>();

  constructor(loaded: StoredContact[]) {
    loaded.forEach((contact) => this.insert(contact));
  }

  find(ref: KeyRef): StoredContact | undefined {
    const name = keyName(ref);
    return this.contacts.get(ref.kind === 'id' ? name : (this.idNameByKey.get(name) ?? ''));
  }

  /** Replaces or adds the contact, and marks it to be saved. */
  change(contact: StoredContact): void {
    this.changedNames.add(this.insert(contact));
  }

  /** The contacts that were changed, in their current state. */
  changed(): StoredContact[] {
    return [...this.changedNames].map((name) => this.contacts.get(name)!);
  }

  /** Whether no contact has this email. */
  isFree(accountId: string, email: string): boolean {
    return this.find(keyRef(accountId, 'email', email)) === undefined;
  }

  private insert(contact: StoredContact): string {
    const name = idName(contact.accountId, contact.id);
    this.contacts.set(name, contact);
    for (const ref of keysOf(contact)) this.idNameByKey.set(keyName(ref), name);
    return name;
  }
}
