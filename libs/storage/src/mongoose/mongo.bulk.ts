import type { mongo } from 'mongoose';
import { refusedIn, storeFaultOf, type MongoError } from './mongo.faults';
import type { StoreModel } from './mongo.model';

export type BulkOperation<T extends { _id: unknown }> = mongo.AnyBulkWriteOperation<T>;

export interface BulkOutcome {
  inserted: number;
  matched: number;
  upserted: number;
  /** Places of operations that did nothing since a unique key was taken. */
  refused: Set<number>;
}

/**
 * Many writes in one command per kind, past the casting of mongoose (it doubles their cost). Unless `ordered`, one that is
 * refused does not keep the others from being done. How many matched is known for all of them together only.
 */
export async function bulkWrite<T extends { _id: unknown }>(
  model: StoreModel<T>,
  operations: BulkOperation<T>[],
  { ordered = false }: { ordered?: boolean } = {},
): Promise<BulkOutcome> {
  if (operations.length === 0) return { inserted: 0, matched: 0, upserted: 0, refused: new Set() };
  const collection = model.collection as unknown as mongo.Collection<T>;
  try {
    return outcomeOf(await collection.bulkWrite(operations, { ordered }), new Set());
  } catch (error) {
    const refused = refusedIn(error as MongoError);
    const { result } = error as MongoError;
    if (!refused || !result) throw storeFaultOf(error);
    return outcomeOf(result, refused);
  }
}

function outcomeOf(result: NonNullable<MongoError['result']>, refused: Set<number>): BulkOutcome {
  const { insertedCount, matchedCount, upsertedCount } = result;
  return { inserted: insertedCount, matched: matchedCount, upserted: upsertedCount, refused };
}
