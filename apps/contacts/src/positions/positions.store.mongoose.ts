import {
  bulkWrite,
  migrateMongo,
  modelOf,
  withStoreFaults,
  type BulkOperation,
  type MongoConnection,
  type StoreModel,
} from '@lettermill/storage';
import type { AppliedPosition } from './positions';
import type { PositionsStore } from './positions.store';

/** One place, which is its `_id`. */
interface PositionDocument {
  _id: string;
  position: number;
  event_id: string;
}

/** If the stored position is as far or further, the filter matches nothing, and the insert fails because the `_id` exists. */
function advanceOperation({ place, position, eventId }: AppliedPosition): BulkOperation<PositionDocument> {
  return {
    updateOne: {
      filter: { _id: { $eq: place }, position: { $lt: position } },
      update: { $set: { position, event_id: eventId } },
      upsert: true,
    },
  };
}

export class MongoosePositionsStore implements PositionsStore {
  private readonly positions: StoreModel<PositionDocument>;

  constructor(private readonly connection: MongoConnection) {
    this.positions = modelOf<PositionDocument>(connection, 'contacts_reach_places', {
      _id: { type: String, required: true },
      position: { type: Number, required: true },
      event_id: { type: String, required: true },
    });
  }

  /** There is one document per partition, so the index of `_id` is enough. */
  migrate(): Promise<void> {
    return migrateMongo(this.connection, 'contacts.reach', []);
  }

  async load(): Promise<AppliedPosition[]> {
    const found = await withStoreFaults(this.positions.find().lean<PositionDocument[]>().exec());
    return found.map(({ _id, position, event_id }) => ({ place: _id, position, eventId: event_id }));
  }

  async advance(applied: AppliedPosition[]): Promise<void> {
    await bulkWrite(this.positions, applied.map(advanceOperation));
  }

  async forget(): Promise<void> {
    await withStoreFaults(this.positions.deleteMany({}).exec());
  }
}
