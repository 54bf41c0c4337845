import type { MongoDriver } from '@lettermill/storage';

interface Dated {
  _id: string;
  message_id: string;
  created_at?: number;
  late?: boolean;
}

/** A server is given up that says nothing for half a minute: no update may go along so many that it takes as long. */
const BATCH = 10_000;
const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** How ids begin that were made so long after the acceptance, as an expression. */
const idTime = (laterMs: number) => ({
  $concat: [6, 5, 4, 3, 2, 1, 0].map((place) => {
    const of = { $add: ['$created_at', laterMs] };
    const letter = { $mod: [{ $floor: { $divide: [of, 62 ** place] } }, 62] };
    return { $substrCP: [LETTERS, { $toInt: letter }, 1] };
  }),
});

/** Late was what is off by more than a day before; now it is what is off by more than a minute. */
export async function tellLate(
  database: { collection(name: string): MongoDriver.Collection },
  batch = BATCH,
): Promise<void> {
  const collection = database.collection('tracker_message') as unknown as MongoDriver.Collection<Dated>;
  const inTime = [{ $gte: ['$message_id', idTime(-60_000)] }, { $lt: ['$message_id', idTime(60_000)] }];
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
