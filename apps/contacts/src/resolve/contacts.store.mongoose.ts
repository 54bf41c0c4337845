import { randomUUID } from 'node:crypto';
import {
  bulkWrite,
  idOf,
  migrateMongo,
  modelOf,
  withStoreFaults,
  type BulkOperation,
  type MongoConnection,
  type MongoDriver,
  type StoreModel,
} from '@lettermill/storage';
import { keysOf, type KeyRef, type StoredContact } from './contact';
import type { ContactsStore } from './contacts.store';

/**
 * A contact; `_id` is `idOf(account, id)`. `names` holds every key that belongs to it alone, as `idOf(account, kind, value)`: a unique
 * index over them makes saving the contact and claiming its keys one write. Custom keys and profile are stored as JSON text, because their
 * property names may be anything.
 */
interface ContactDocument {
  _id: string;
  account_id: string;
  id: string;
  names: string[];
  email: string | null;
  sms: string | null;
  keys: string;
  profile: string;
  version: number;
  applied: string;
  /** Contacts saved before there was this field have none. */
  merged?: string[];
  /** Id of the save that wrote it. */
  revision: string;
  created_at: number;
  updated_at: number;
}

const INDEXES: MongoDriver.IndexDescription[] = [
  { name: 'contacts_contact_names', key: { names: 1 }, unique: true, sparse: true },
];

/** Contacts per command when all contacts are changed. */
const FORGET_BATCH_SIZE = 1_000;

const text = { type: String, required: true };
const count = { type: Number, required: true };

const nameOf = ({ accountId, kind, value }: KeyRef): string => idOf(accountId, kind, value);

function contactOf(found: ContactDocument): StoredContact {
  return {
    accountId: found.account_id,
    id: found.id,
    email: found.email,
    sms: found.sms,
    keys: JSON.parse(found.keys) as Record<string, string>,
    profile: found.profile,
    version: found.version,
    applied: JSON.parse(found.applied) as Record<string, number>,
    merged: found.merged ?? [],
    revision: found.revision,
    createdAt: found.created_at,
    updatedAt: found.updated_at,
  };
}

function documentOf(contact: StoredContact, revision: string): ContactDocument {
  const { accountId, id, email, sms, keys, profile, version, applied, merged, createdAt, updatedAt } = contact;
  return {
    _id: idOf(accountId, id),
    account_id: accountId,
    id,
    names: keysOf(contact).map(nameOf),
    email,
    sms,
    keys: JSON.stringify(keys),
    profile,
    version,
    applied: JSON.stringify(applied),
    merged,
    revision,
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

function saveOperation(contact: StoredContact, revision: string): BulkOperation<ContactDocument> {
  const document = documentOf(contact, revision);
  if (contact.revision === null) return { insertOne: { document } };
  const { _id, ...changing } = document;
  return {
    updateOne: { filter: { _id: { $eq: _id }, revision: { $eq: contact.revision } }, update: { $set: changing } },
  };
}

/** The server sends a few megabytes at a time; reading stops once the limit is exceeded. */
async function readWithin(
  found: AsyncIterable<ContactDocument>,
  maxBytes: number,
): Promise<ContactDocument[] | undefined> {
  const documents: ContactDocument[] = [];
  let bytes = 0;
  for await (const one of found) {
    bytes += Buffer.byteLength(one.profile);
    if (bytes > maxBytes) return undefined;
    documents.push(one);
  }
  return documents;
}

export class MongooseContactsStore implements ContactsStore {
  private readonly contacts: StoreModel<ContactDocument>;

  constructor(private readonly connection: MongoConnection) {
    this.contacts = modelOf<ContactDocument>(connection, 'contacts_contact', {
      _id: text,
      account_id: text,
      id: text,
      names: [String],
      email: String,
      sms: String,
      keys: text,
      profile: text,
      version: count,
      applied: text,
      merged: [String],
      revision: text,
      created_at: count,
      updated_at: count,
    });
  }

  migrate(): Promise<void> {
    return migrateMongo(this.connection, 'contacts', [{ name: '1-contacts', indexes: { contacts_contact: INDEXES } }]);
  }

  async load(refs: KeyRef[]): Promise<StoredContact[]> {
    return (await this.loadWithin(refs, Infinity))!;
  }

  async loadWithin(refs: KeyRef[], maxBytes: number): Promise<StoredContact[] | undefined> {
    const ids = refs.filter(({ kind }) => kind === 'id').map(({ accountId, value }) => idOf(accountId, value));
    const names = refs.filter(({ kind }) => kind !== 'id').map(nameOf);
    const found = await Promise.all([
      names.length > 0 ? this.find({ names: { $in: names } }, maxBytes) : [],
      ids.length > 0 ? this.find({ _id: { $in: ids } }, maxBytes) : [],
    ]);
    if (found.includes(undefined)) return undefined;
    return [...new Map(found.flat().map((one) => [one!._id, one!])).values()].map(contactOf);
  }

  async save(contacts: StoredContact[]): Promise<string[]> {
    const revision = randomUUID();
    const { inserted, matched } = await bulkWrite(
      this.contacts,
      contacts.map((contact) => saveOperation(contact, revision)),
    );
    if (inserted + matched === contacts.length) return [];
    const saved = new Set(await this.writtenBy(revision, contacts));
    return contacts.filter(({ accountId, id }) => !saved.has(idOf(accountId, id))).map(({ id }) => id);
  }

  /** In steps, because a single command over all contacts could take longer than a call may take. */
  async forgetApplied(): Promise<void> {
    const forgotten = { $set: { applied: '{}', merged: [], revision: randomUUID() } };
    for (let after = ''; ;) {
      const ids = (await this.next(after)).map(({ _id }) => _id);
      if (ids.length === 0) return;
      await withStoreFaults(this.contacts.updateMany({ _id: { $in: ids } }, forgotten).exec());
      after = ids.at(-1)!;
    }
  }

  private next(after: string): Promise<Pick<ContactDocument, '_id'>[]> {
    const query = this.contacts.find({ _id: { $gt: after } }, { _id: 1 }).sort({ _id: 1 });
    return withStoreFaults(query.limit(FORGET_BATCH_SIZE).lean<Pick<ContactDocument, '_id'>[]>().exec());
  }

  /**
   * The ids of the contacts that this save has written. A contact that was changed again since counts as not saved and is resolved again:
   * nothing is lost.
   */
  private async writtenBy(revision: string, contacts: StoredContact[]): Promise<string[]> {
    const ids = contacts.map(({ accountId, id }) => idOf(accountId, id));
    const theirs = { _id: { $in: ids }, revision: { $eq: revision } };
    const found = await withStoreFaults(
      this.contacts.find(theirs, { _id: 1 }).lean<Pick<ContactDocument, '_id'>[]>().exec(),
    );
    return found.map(({ _id }) => _id);
  }

  private find(filter: object, maxBytes: number): Promise<ContactDocument[] | undefined> {
    const collection = this.contacts.collection as unknown as MongoDriver.Collection<ContactDocument>;
    return withStoreFaults(readWithin(collection.find(filter), maxBytes));
  }
}
