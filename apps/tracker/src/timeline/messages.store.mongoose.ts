import { randomUUID } from 'node:crypto';
import {
  bulkWrite,
  idOf,
  migrateMongo,
  modelOf,
  Searches,
  withStoreFaults,
  type BulkOperation,
  type MongoConnection,
  type MongoDriver,
  type StoreModel,
} from '@lettermill/storage';
import type { Fact } from './message.facts';
import type { MessageChange, MessageRecord, MessageRef, SearchKeys } from './message.record';
import { MAX_PAGE_BYTES, rowsOfPage } from './messages.page';
import { isNarrow } from './messages.search';
import { searchWalks, type Walk } from './messages.search.mongoose';
import type { MessageFilter, MessagePage, MessagesFound, MessagesStore } from './messages.store';

/** A message; `_id` is `idOf(account, message)`. The fields that it is searched by are set once it is accepted. */
interface MessageDocument {
  _id: string;
  account_id: string;
  message_id: string;
  revision: number;
  /** Id of the save that wrote it: two concurrent saves over one revision write the same next revision. */
  saved: string;
  state: string;
  facts: string;
  terms: string[];
  reason?: string;
  request_id?: string;
  external_message_id?: string;
  campaign_id?: string;
  campaign_slug?: string;
  created_at?: number;
  late?: boolean;
}

type StoredRecord = Pick<MessageDocument, 'account_id' | 'message_id' | 'revision' | 'facts'>;

type FoundRecord = Omit<StoredRecord, 'facts'> & { facts: string | null };

const RECORD_PROJECTION = { _id: 0, account_id: 1, message_id: 1, revision: 1, facts: 1 } as const;

const along = (name: string, ...fields: string[]): MongoDriver.IndexDescription => ({
  name: `tracker_message_${name}`,
  key: Object.fromEntries([['account_id', 1], ...fields.map((field) => [field, 1]), ['message_id', -1]]),
});
const INDEXES: MongoDriver.IndexDescription[] = [
  along('newest'),
  { ...along('external', 'external_message_id'), partialFilterExpression: { external_message_id: { $exists: true } } },
  along('request', 'request_id'),
  along('campaign', 'campaign_id'),
  along('slug', 'campaign_slug'),
  along('state', 'state'),
  along('term', 'terms'),
  { ...along('late', 'late'), partialFilterExpression: { late: true } },
  { ...along('reason', 'reason'), partialFilterExpression: { reason: { $exists: true } } },
];

/** More searches at a time would only take longer each, and the server has to serve the mails, too. */
const MAX_CONCURRENT_SEARCHES = 4;
/** Longest time that a search may take. */
const SEARCH_TIMEOUT_MS = 10_000;

const text = { type: String, required: true };

function searchKeyFields(keys: SearchKeys | undefined): Partial<MessageDocument> {
  if (!keys) return {};
  const { requestId, externalMessageId, campaignId, campaignSlug, createdAt, late } = keys;
  return {
    request_id: requestId,
    campaign_id: campaignId,
    campaign_slug: campaignSlug,
    created_at: createdAt,
    late,
    ...(externalMessageId === null ? {} : { external_message_id: externalMessageId }),
  };
}

function recordOf({ account_id, message_id, facts, revision }: StoredRecord): MessageRecord {
  return { accountId: account_id, messageId: message_id, facts: JSON.parse(facts) as Fact[], revision };
}

/** Reads no further than the page goes: the server sends a batch at a time, of 16 MB at most. */
async function firstWithin(cursor: MongoDriver.FindCursor<StoredRecord>): Promise<FoundRecord[]> {
  const found: FoundRecord[] = [];
  try {
    for (let bytes = 0; bytes <= MAX_PAGE_BYTES;) {
      const next = await cursor.next();
      if (!next) return found;
      found.push(next);
      bytes += Buffer.byteLength(next.facts);
    }
    const next = await cursor.next();
    if (next) found.push({ ...next, facts: null });
    return found;
  } finally {
    await cursor.close();
  }
}

function saveOperation(change: MessageChange, saved: string): BulkOperation<MessageDocument> {
  const { accountId, messageId, state, reason, revision, terms } = change;
  const _id = idOf(accountId, messageId);
  const facts = JSON.stringify(change.facts);
  const explained = typeof reason === 'string' && { reason };
  const changing = { revision: revision + 1, saved, state, facts, ...searchKeyFields(change.accepted), ...explained };
  if (revision === 0) {
    const document = { _id, account_id: accountId, message_id: messageId, ...changing, terms };
    return { insertOne: { document } };
  }
  const noReason = reason === null && { $unset: { reason: '' as const } };
  const update = { $set: changing, $addToSet: { terms: { $each: terms } }, ...noReason };
  return { updateOne: { filter: { _id: { $eq: _id }, revision: { $eq: revision } }, update } };
}

export class MongooseMessagesStore implements MessagesStore {
  private readonly messages: StoreModel<MessageDocument>;
  private readonly searches = new Searches(MAX_CONCURRENT_SEARCHES);

  constructor(private readonly connection: MongoConnection) {
    this.messages = modelOf<MessageDocument>(connection, 'tracker_message', {
      _id: text,
      account_id: text,
      message_id: text,
      saved: text,
      state: text,
      facts: text,
      terms: [String],
      revision: { type: Number, required: true, min: 1 },
      request_id: String,
      external_message_id: String,
      campaign_id: String,
      campaign_slug: String,
      created_at: Number,
      late: Boolean,
      reason: String,
    });
  }

  migrate(): Promise<void> {
    return migrateMongo(this.connection, 'tracker', [{ name: '1-messages', indexes: { tracker_message: INDEXES } }]);
  }

  async load(refs: MessageRef[]): Promise<MessageRecord[]> {
    if (refs.length === 0) return [];
    const ids = refs.map(({ accountId, messageId }) => idOf(accountId, messageId));
    const found = this.collection().find<StoredRecord>({ _id: { $in: ids } }, { projection: RECORD_PROJECTION });
    return (await withStoreFaults(found.toArray())).map(recordOf);
  }

  async save(changes: MessageChange[]): Promise<MessageRef[]> {
    const saved = randomUUID();
    const { inserted, matched } = await bulkWrite(
      this.messages,
      changes.map((change) => saveOperation(change, saved)),
    );
    if (inserted + matched === changes.length) return [];
    const ids = await this.writtenBy(saved, changes);
    return changes.filter(({ accountId, messageId }) => !ids.has(idOf(accountId, messageId)));
  }

  async search(accountId: string, filter: MessageFilter, page: MessagePage): Promise<MessagesFound> {
    const walks = searchWalks(accountId, filter, page);
    const walked = isNarrow(filter) ? await this.runInTurn(walks, page) : await this.runTogether(walks, page);
    const found = [...new Map(walked.map((one) => [one.message_id, one])).values()];
    if (walks.length > 1) found.sort((a, b) => (a.message_id < b.message_id ? 1 : -1));
    const rows = rowsOfPage(found, page.limit);
    return { records: rows.map(recordOf), hasMore: rows.length < found.length };
  }

  private async runTogether(walks: Walk[], { limit }: MessagePage): Promise<FoundRecord[]> {
    return (await Promise.all(walks.map((walk) => this.searches.run(() => this.runWalk(walk, limit))))).flat();
  }

  /** When an earlier request of a message becomes known, the message moves from one of these walks to a later one, never back. */
  private async runInTurn(walks: Walk[], { limit }: MessagePage): Promise<FoundRecord[]> {
    const found: FoundRecord[] = [];
    for (const walk of walks) found.push(...(await this.runWalk(walk, limit)));
    return found;
  }

  /**
   * One more than the page tells whether there are more; the last one has no facts if the others leave no room for them. The index is
   * named, because the planner, which estimates from samples, sometimes chooses another one.
   */
  private async runWalk({ filter, index }: Walk, limit: number): Promise<FoundRecord[]> {
    const cursor = this.collection().find<StoredRecord>(filter, { projection: RECORD_PROJECTION, hint: index });
    cursor
      .sort({ message_id: -1 })
      .limit(limit + 1)
      .maxTimeMS(SEARCH_TIMEOUT_MS);
    return withStoreFaults(firstWithin(cursor));
  }

  /** Ids of the changes that this save wrote. A message that was saved again since is loaded again; it already has these facts. */
  private async writtenBy(saved: string, changes: MessageRef[]): Promise<Set<string>> {
    const ids = changes.map(({ accountId, messageId }) => idOf(accountId, messageId));
    const theirs = { _id: { $in: ids }, saved: { $eq: saved } };
    const found = this.collection().find<{ _id: string }>(theirs, { projection: { _id: 1 } });
    return new Set((await withStoreFaults(found.toArray())).map(({ _id }) => _id));
  }

  private collection(): MongoDriver.Collection<MessageDocument> {
    return this.messages.collection as unknown as MongoDriver.Collection<MessageDocument>;
  }
}
