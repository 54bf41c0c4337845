import type { mongo } from 'mongoose';
import { refusedOperationsIn, storeFaultOf, type MongoError } from './mongo.faults';
import type { StoreModel } from './mongo.model';

export type BulkOperation<T extends { _id: unknown }> = mongo.AnyBulkWriteOperation<T>;

export interface BulkOutcome {
  inserted: number;
  matched: number;
  /** Indexes of the operations that did nothing because a unique key was taken. */
  refused: Set<number>;
}

/**
 * Many writes in one command per kind, without the casting of mongoose (which doubles their cost). Unless `ordered`, a
 * refused write does not prevent the others. The number of matches is known only for all of them together.
 */
export async function bulkWrite<T extends { _id: unknown }>(
  model: StoreModel<T>,
  operations: BulkOperation<T>[],
  { ordered = false }: { ordered?: boolean } = {},
): Promise<BulkOutcome> {
  if (operations.length === 0) return { inserted: 0, matched: 0, refused: new Set() };
  const collection = model.collection as unknown as mongo.Collection<T>;
  try {
    return outcomeOf(await collection.bulkWrite(operations, { ordered }), new Set());
  } catch (error) {
    const refused = refusedOperationsIn(error as MongoError);
    const { result } = error as MongoError;
    if (!refused || !result) throw storeFaultOf(error);
    return outcomeOf(result, refused);
  }
}

function outcomeOf(result: NonNullable<MongoError['result']>, refused: Set<number>): BulkOutcome {
  return { inserted: result.insertedCount, matched: result.matchedCount, refused };
}
