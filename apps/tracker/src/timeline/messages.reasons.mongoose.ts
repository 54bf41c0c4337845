import type { MongoDriver } from '@lettermill/storage';
import type { Fact } from './message.facts';
import { reasonCodeOf } from './message.state';

interface Unexplained {
  _id: string;
  revision: number;
  facts: string;
  reason?: string;
}

const STATES_WITH_REASON = ['bounced', 'failed', 'deferred', 'suppressed', 'cancelled', 'uncertain'];
const BATCH_SIZE = 500;

/** Sets the reason of older messages, which have it only among their facts. Messages saved meanwhile are left alone. */
export async function fillReasons(database: { collection(name: string): MongoDriver.Collection }): Promise<void> {
  const collection = database.collection('tracker_message') as unknown as MongoDriver.Collection<Unexplained>;
  const open = { state: { $in: STATES_WITH_REASON }, reason: { $exists: false } };
  const found = collection.find(open, { projection: { revision: 1, facts: 1 }, batchSize: BATCH_SIZE });
  let updates: MongoDriver.AnyBulkWriteOperation<Unexplained>[] = [];
  const write = async () => {
    if (updates.length > 0) await collection.bulkWrite(updates, { ordered: false });
    updates = [];
  };
  for await (const { _id, revision, facts } of found) {
    const reason = reasonCodeOf(JSON.parse(facts) as Fact[]);
    if (reason === null) continue;
    const filter = { _id: { $eq: _id }, revision: { $eq: revision } };
    updates.push({ updateOne: { filter, update: { $set: { reason } } } });
    if (updates.length === BATCH_SIZE) await write();
  }
  await write();
}
