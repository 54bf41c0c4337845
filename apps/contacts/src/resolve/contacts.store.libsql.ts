import { randomUUID } from 'node:crypto';
import type { SqlDatabase, SqlRow, SqlStep } from '@lettermill/storage';
import { keysOf, type KeyRef, type StoredContact } from './contact';
import type { ContactsStore } from './contacts.store';

const TABLES = [
  `CREATE TABLE contacts_contact (
    account_id TEXT NOT NULL, id TEXT NOT NULL, email TEXT, sms TEXT, keys TEXT NOT NULL, profile TEXT NOT NULL,
    version INTEGER NOT NULL, applied TEXT NOT NULL, revision TEXT NOT NULL,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, PRIMARY KEY (account_id, id))`,
  `CREATE TABLE contacts_key (
    account_id TEXT NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL, contact_id TEXT NOT NULL,
    PRIMARY KEY (account_id, kind, value)) WITHOUT ROWID`,
];

const ADD_MERGED = `ALTER TABLE contacts_contact ADD COLUMN merged TEXT NOT NULL DEFAULT '[]'`;

/**
 * Selects the contacts that `found` joins, without their profiles if these are larger than the limit in all. CROSS JOIN fixes the order of
 * the tables: each ref asked for is looked up. `octet_length` does not read the profile.
 */
const selectContacts = (found: string) => `WITH
  found AS MATERIALIZED (SELECT c.rowid AS place, octet_length(c.profile) AS bytes FROM json_each(?) AS asked ${found}),
  whole AS MATERIALIZED (SELECT total(bytes) AS bytes FROM found)
  SELECT c.account_id, c.id, email, sms, keys, CASE WHEN whole.bytes <= ? THEN profile END AS profile,
    version, applied, merged, revision, created_at, updated_at
  FROM whole CROSS JOIN found CROSS JOIN contacts_contact AS c ON c.rowid = found.place`;

const BY_KEY = selectContacts(`
  CROSS JOIN contacts_key AS k ON k.account_id = asked.value->>0 AND k.kind = asked.value->>1 AND k.value = asked.value->>2
  CROSS JOIN contacts_contact AS c ON c.account_id = k.account_id AND c.id = k.contact_id`);

const BY_ID = selectContacts(`
  CROSS JOIN contacts_contact AS c ON c.account_id = asked.value->>0 AND c.id = asked.value->>1`);

const KEYS_FREE = `NOT EXISTS (SELECT 1 FROM json_each(?) AS asked CROSS JOIN contacts_key AS k
  ON k.account_id = ? AND k.kind = asked.value->>0 AND k.value = asked.value->>1 AND k.contact_id <> ?)`;

const INSERT = `INSERT INTO contacts_contact
  (email, sms, keys, profile, version, applied, merged, revision, created_at, updated_at, account_id, id)
  SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? WHERE ${KEYS_FREE} ON CONFLICT DO NOTHING`;

const UPDATE = `UPDATE contacts_contact SET email = ?, sms = ?, keys = ?, profile = ?, version = ?, applied = ?,
  merged = ?, revision = ?, created_at = ?, updated_at = ?
  WHERE account_id = ? AND id = ? AND ${KEYS_FREE} AND revision = ?`;

/** Only if this save has just written the contact: the revision is then that of this save. */
const ADD_KEY = `INSERT INTO contacts_key SELECT ?, ?, ?, id FROM contacts_contact
  WHERE account_id = ? AND id = ? AND revision = ? ON CONFLICT DO NOTHING`;

const FORGET = `UPDATE contacts_contact SET applied = '{}', merged = '[]', revision = ?
  WHERE applied <> '{}' OR merged <> '[]'`;

function contactOf(row: SqlRow): StoredContact {
  return {
    accountId: row.account_id as string,
    id: row.id as string,
    email: row.email as string | null,
    sms: row.sms as string | null,
    keys: JSON.parse(row.keys as string) as Record<string, string>,
    profile: row.profile as string,
    version: row.version as number,
    applied: JSON.parse(row.applied as string) as Record<string, number>,
    merged: JSON.parse(row.merged as string) as string[],
    revision: row.revision as string,
    createdAt: row.created_at as number,
    updatedAt: row.updated_at as number,
  };
}

function saveSteps(contact: StoredContact, revision: string): SqlStep[] {
  const { accountId, id, email, sms, keys, profile, version, applied, merged, createdAt, updatedAt } = contact;
  const refs = keysOf(contact);
  const columns = [email, sms, JSON.stringify(keys), profile, version, JSON.stringify(applied), JSON.stringify(merged)];
  const written = [...columns, revision, createdAt, updatedAt, accountId, id];
  const free = [JSON.stringify(refs.map(({ kind, value }) => [kind, value])), accountId, id];
  const expected = contact.revision === null ? [] : [contact.revision];
  return [
    { sql: contact.revision === null ? INSERT : UPDATE, rows: [[...written, ...free, ...expected]] },
    { sql: ADD_KEY, rows: refs.map(({ kind, value }) => [accountId, kind, value, accountId, id, revision]) },
  ];
}

export class LibsqlContactsStore implements ContactsStore {
  constructor(private readonly database: SqlDatabase) {}

  migrate(): Promise<void> {
    return this.database.migrate('contacts', [
      { name: '1-contacts', statements: TABLES },
      { name: '2-merged', statements: [ADD_MERGED] },
    ]);
  }

  async load(refs: KeyRef[]): Promise<StoredContact[]> {
    return (await this.loadWithin(refs, Infinity))!;
  }

  async loadWithin(refs: KeyRef[], maxBytes: number): Promise<StoredContact[] | undefined> {
    const ids = refs.filter(({ kind }) => kind === 'id').map(({ accountId, value }) => [accountId, value]);
    const keys = refs.filter(({ kind }) => kind !== 'id').map(({ accountId, kind, value }) => [accountId, kind, value]);
    const rows = await Promise.all([
      keys.length > 0 ? this.database.read(BY_KEY, [JSON.stringify(keys), maxBytes]) : [],
      ids.length > 0 ? this.database.read(BY_ID, [JSON.stringify(ids), maxBytes]) : [],
    ]);
    const distinct = new Map(rows.flat().map((row) => [`${row.account_id as string} ${row.id as string}`, row]));
    if ([...distinct.values()].some(({ profile }) => profile === null)) return undefined;
    return [...distinct.values()].map(contactOf);
  }

  async save(contacts: StoredContact[]): Promise<string[]> {
    if (contacts.length === 0) return [];
    const revision = randomUUID();
    const results = await this.database.write(contacts.flatMap((contact) => saveSteps(contact, revision)));
    return contacts.filter((_, index) => results[index * 2]!.changes[0] === 0).map(({ id }) => id);
  }

  async forgetApplied(): Promise<void> {
    await this.database.write([{ sql: FORGET, rows: [[randomUUID()]] }]);
  }
}
