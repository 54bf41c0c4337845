// Saves the contacts of a batch by compare-and-set, against unconditional upserts of the same documents.
import { createRequire } from 'node:module';
import { ownCluster } from './cluster.own.mjs';
import { extent, pairsOf } from './extent.mjs';

const require = createRequire(import.meta.url);
/** With --try there are two, because only the second one finds existing contacts and changes them. */
const PAIRS = extent(pairsOf(7), 2);
const BATCHES = extent(30, 2);
const SIZE = 100;

const profile = (i) => ({
  first_name: `Name ${i}`,
  city: 'Leeds',
  since: '2026-01-01',
  notes: 'x'.repeat(300),
  order: { number: `O-${i}`, total: '12.50' },
});
const id = (i) => String(i).padStart(18, '0');
const email = (i) => `user-${i}@example.com`;

/** Microseconds of CPU that saving takes per contact. `prepare` makes what is saved. */
async function cpu(prepare, save) {
  let spent = 0;
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const prepared = await prepare(Array.from({ length: SIZE }, (_, n) => batch * SIZE + n));
    const before = process.cpuUsage();
    await save(prepared);
    const { user, system } = process.cpuUsage(before);
    spent += user + system;
  }
  return spent / (BATCHES * SIZE);
}

function ours(store, round) {
  const accountId = `account-${round % 2}`;
  const prepare = async (numbers) => {
    const found = await store.load(numbers.map((i) => ({ accountId, kind: 'email', value: email(i) })));
    const byId = new Map(found.map((contact) => [contact.id, contact]));
    return numbers.map((i) => {
      const known = byId.get(id(i));
      const now = Date.now();
      return {
        accountId,
        id: id(i),
        email: email(i),
        sms: null,
        keys: {},
        profile: profile(i),
        version: round,
        applied: { 0: i },
        revision: known?.revision ?? null,
        createdAt: known?.createdAt ?? now,
        updatedAt: now,
      };
    });
  };
  return cpu(prepare, async (contacts) => {
    // A contact's profile is stored as JSON text; making that is part of the cost of saving.
    const left = await store.save(contacts.map((one) => ({ ...one, profile: JSON.stringify(one.profile) })));
    if (left.length > 0) throw new Error(`${left.length} contacts were not saved`);
  });
}

function bare(collection, round) {
  const prepare = (numbers) =>
    numbers.map((i) => {
      const names = [`${round % 2}:${email(i)}`];
      return {
        _id: `${round % 2}:${id(i)}`,
        names,
        email: email(i),
        profile: profile(i),
        version: round,
        at: Date.now(),
      };
    });
  return cpu(prepare, (documents) => {
    const operations = documents.map(({ _id, ...document }) => {
      return { updateOne: { filter: { _id }, update: { $set: document }, upsert: true } };
    });
    return collection.bulkWrite(operations, { ordered: false });
  });
}

/** Measures a cost: a lower ratio is better. */
export async function upsertOnCluster() {
  const { openMongo } = require('../dist/libs/storage/src/index.js');
  const { MongooseContactsStore } = require('../dist/apps/contacts/src/resolve/contacts.store.mongoose.js');
  const own = ownCluster();
  const connection = await openMongo(own.mongodbUri);
  const store = new MongooseContactsStore(connection);
  await store.migrate();
  const collection = connection.getClient().db(own.own).collection('bare');
  const pairs = [];
  await ours(store, 0);
  await bare(collection, 0);
  for (let round = 1; round <= PAIRS; round += 1) {
    pairs.push({ ours: await ours(store, round), bare: await bare(collection, round) });
  }
  await connection.close();
  await own.remove();
  return { unit: 'us of CPU a contact', baseline: "the driver's bulkWrite of upserts", pairs };
}
