import {
  bulkWrite,
  migrateMongo,
  modelOf,
  withStoreFaults,
  type BulkOperation,
  type MongoConnection,
  type StoreModel,
} from '@lettermill/storage';
import type { Reached } from './reach';
import type { ReachStore } from './reach.store';

/** One place, which is its `_id`; a number where a version wrote it that knew one topic alone. */
interface ReachDocument {
  _id: string | number;
  position: number;
  event_id: string;
}

/** Where what is there is as far or further, the filter finds nothing, and the insert is refused since the place is taken. */
function advancing({ place, position, eventId }: Reached): BulkOperation<ReachDocument> {
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
    this.reach = modelOf<ReachDocument>(connection, 'contacts_reach', {
      _id: { type: 'Mixed', required: true },
      position: { type: Number, required: true },
      event_id: { type: String, required: true },
    });
  }

  /** There are as many as partitions: they need no index. */
  migrate(): Promise<void> {
    return migrateMongo(this.connection, 'contacts.reach', []);
  }

  async load(): Promise<Reached[]> {
    const found = await withStoreFaults(this.reach.find().lean<ReachDocument[]>().exec());
    return found.map(({ _id, position, event_id }) => ({ place: String(_id), position, eventId: event_id }));
  }

  async advance(reached: Reached[]): Promise<void> {
    await bulkWrite(this.reach, reached.map(advancing));
  }

  async forget(): Promise<void> {
    await withStoreFaults(this.reach.deleteMany({}).exec());
  }
}
