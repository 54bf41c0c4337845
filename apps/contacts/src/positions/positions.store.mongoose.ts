import {
  bulkWrite,
  migrateMongo,
  modelOf,
  withStoreFaults,
  type BulkOperation,
  type MongoConnection,
  type StoreModel,
} from '@lettermill/storage';
import type { ReachedPosition } from './reach';
import type { ReachStore } from './reach.store';

/** One place, which is its `_id`. */
interface ReachDocument {
  _id: string;
  position: number;
  event_id: string;
}

/** If the stored position is as far or further, the filter matches nothing, and the insert fails because the `_id` exists. */
function advanceOperation({ place, position, eventId }: ReachedPosition): BulkOperation<ReachDocument> {
  return {
    updateOne: {
      filter: { _id: { $eq: place }, position: { $lt: position } },
      update: { $set: { position, event_id: eventId } },
      upsert: true,
    },
  };
}

export class MongooseReachStore implements ReachStore {
  private readonly reach: StoreModel<ReachDocument>;

  constructor(private readonly connection: MongoConnection) {
    this.reach = modelOf<ReachDocument>(connection, 'contacts_reach_places', {
      _id: { type: String, required: true },
      position: { type: Number, required: true },
      event_id: { type: String, required: true },
    });
  }

  /** There is one document per partition, so the index of `_id` is enough. */
  migrate(): Promise<void> {
    return migrateMongo(this.connection, 'contacts.reach', []);
  }

  async load(): Promise<ReachedPosition[]> {
    const found = await withStoreFaults(this.reach.find().lean<ReachDocument[]>().exec());
    return found.map(({ _id, position, event_id }) => ({ place: _id, position, eventId: event_id }));
  }

  async advance(reached: ReachedPosition[]): Promise<void> {
    await bulkWrite(this.reach, reached.map(advanceOperation));
  }

  async forget(): Promise<void> {
    await withStoreFaults(this.reach.deleteMany({}).exec());
  }
}
