import { idTime } from '@lettermill/events';
import { withStoreFaults, type MongoDriver } from '@lettermill/storage';
import { DUE_INDEX, type DeliveryDocument } from './deliveries.schema.mongoose';
import { MAIN_LANE, RANKS, type Recall } from './deliveries.store';

/**
 * An id tells when its message was accepted and is part of the queue's index, so only documents of messages from the future, or that wait
 * longer than any delay, are read.
 */
export async function recallDeliveries(
  deliveries: MongoDriver.Collection<DeliveryDocument>,
  lanes: string[],
  { acceptedAfter, latest }: Recall,
): Promise<number> {
  const until = { $arrayElemAt: [latest, { $min: ['$attempts', latest.length - 1] }] };
  const late = {
    due_at: { $gt: latest[0]! },
    $or: [{ message_id: { $gte: idTime(acceptedAfter + 1) } }, { due_at: { $gt: Math.max(...latest) } }],
    $expr: { $gt: ['$due_at', until] },
  };
  let recalled = 0;
  for (const lane of [MAIN_LANE, ...lanes]) {
    for (const priority of RANKS) {
      const filter = { lane: { $eq: lane }, priority: { $eq: priority }, ...late };
      const update = [{ $set: { due_at: until } }];
      const { modifiedCount } = await withStoreFaults(deliveries.updateMany(filter, update, { hint: DUE_INDEX }));
      recalled += modifiedCount;
    }
  }
  return recalled;
}
