import { keyRef, keysOf, type KeyRef, type StoredContact } from './contact';

const nameOf = ({ accountId, kind, value }: KeyRef) => JSON.stringify([accountId, kind, value]);
const nameOfId = (accountId: string, id: string) => nameOf({ accountId, kind: 'id', value: id });

/**
 * The contacts that a batch works on, found by any of their keys. Contacts are values: a change replaces the contact and never modifies it.
 */
export class ContactIndex {
  private readonly contacts = new Map<string, StoredContact>();
  private readonly idNames = new Map<string, string>();
  private readonly put = new Set<string>();

  constructor(loaded: StoredContact[]) {
    loaded.forEach((contact) => this.enter(contact));
  }

  find(ref: KeyRef): StoredContact | undefined {
    const name = nameOf(ref);
    return this.contacts.get(ref.kind === 'id' ? name : (this.idNames.get(name) ?? ''));
  }

  /** Replaces or adds the contact, and marks it to be saved. */
  change(contact: StoredContact): void {
    this.put.add(this.enter(contact));
  }

  /** The contacts that were changed, in their current state. */
  changed(): StoredContact[] {
    return [...this.put].map((name) => this.contacts.get(name)!);
  }

  /** Whether no contact has this email. */
  isFree(accountId: string, email: string): boolean {
    return this.find(keyRef(accountId, 'email', email)) === undefined;
  }

  private enter(contact: StoredContact): string {
    const name = nameOfId(contact.accountId, contact.id);
    this.contacts.set(name, contact);
    for (const ref of keysOf(contact)) this.idNames.set(nameOf(ref), name);
    return name;
  }
}
