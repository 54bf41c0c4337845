import { keyRef, keysOf, type KeyRef, type StoredContact } from './contact';

const nameOf = ({ accountId, kind, value }: KeyRef) => JSON.stringify([accountId, kind, value]);
const nameOfId = (accountId: string, id: string) => nameOf({ accountId, kind: 'id', value: id });

/** The contacts that a batch works on, found by any of their keys. Holds values: a change is put, never written in. */
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

  /** Replaces the contact, or adds it; it is to be saved. */
  change(contact: StoredContact): void {
    this.put.add(this.enter(contact));
  }

  /** Contacts that were changed, as they are now. */
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
