import type { MongoDriver } from '@lettermill/storage';

interface Dated {
  _id: string;
  message_id: string;
  created_at?: number;
  late?: boolean;
}

/** Messages per update: a server that does not answer for half a minute is given up, so no single update may take that long. */
const BATCH_SIZE = 10_000;
const ID_ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** An expression for the beginning of ids made `laterMs` after the acceptance. */
const idTimeExpression = (laterMs: number) => ({
  $concat: [6, 5, 4, 3, 2, 1, 0].map((place) => {
    const of = { $add: ['$created_at', laterMs] };
    const letter = { $mod: [{ $floor: { $divide: [of, 62 ** place] } }, 62] };
    return { $substrCP: [ID_ALPHABET, { $toInt: letter }, 1] };
  }),
});

/** Marks messages whose id is off by more than a minute as late; before, only those off by more than a day were. */
export async function markLate(
  database: { collection(name: string): MongoDriver.Collection },
  batch = BATCH_SIZE,
): Promise<void> {
  const collection = database.collection('tracker_message') as unknown as MongoDriver.Collection<Dated>;
  const inTime = [
    { $gte: ['$message_id', idTimeExpression(-60_000)] },
    { $lt: ['$message_id', idTimeExpression(60_000)] },
  ];
  const off = { late: { $eq: false }, $expr: { $not: [{ $and: inTime }] } };
  for (let after = ''; ;) {
    const next = collection.find(
      { _id: { $gt: after } },
      { projection: { _id: 1 }, sort: { _id: 1 }, skip: batch - 1 },
    );
    const [last] = await next.limit(1).toArray();
    const some = { $gt: after, ...(last && { $lte: last._id }) };
    await collection.updateMany({ _id: some, ...off }, { $set: { late: true } });
    if (!last) return;
    after = last._id;
  }
}
