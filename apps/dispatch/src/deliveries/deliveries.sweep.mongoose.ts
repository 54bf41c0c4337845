import { idTime } from '@lettermill/events';
import { idOf, withStoreFaults, type MongoDriver } from '@lettermill/storage';
import { TERMINAL } from '../lifecycle/delivery';
import { KEPT_CONTENTS_INDEX, type DeliveryDocument } from './deliveries.schema.mongoose';
import type { SweptBefore } from './deliveries.store';

type Deliveries = MongoDriver.Collection<DeliveryDocument>;

/** Ended, and with nothing left to announce, as that would be deleted with the document. */
const ENDED = { state: { $in: [...TERMINAL] }, told_at: { $exists: false } };
/** Sorts after every message id of an account. */
const AFTER_LAST_ID = '\uffff';

/** `DeliveryStore.sweep`: finds contents by the index of kept ones, and deliveries by their ids, which begin with the time. */
export class DeliverySweep {
  /** The id after which the next step looks for deliveries: it asks no account again, and reads nothing again that waits before it. */
  private after = '';

  constructor(private readonly collection: () => Deliveries) {}

  async step(before: SweptBefore, limit: number): Promise<boolean> {
    const contents = before.contents === null ? 0 : await deleteContents(this.collection(), before.contents, limit);
    if (contents === limit) return true;
    return before.deliveries !== null && this.deleteDeliveries(before.deliveries, limit);
  }

  private async deleteDeliveries(before: number, limit: number): Promise<boolean> {
    const deliveries = this.collection();
    for (let left = limit; left > 0;) {
      const next = deliveries.find({ _id: { $gt: this.after } }, { projection: { account_id: 1 } }).sort({ _id: 1 });
      const [first] = await withStoreFaults(next.limit(1).toArray());
      if (!first) {
        this.after = '';
        return false;
      }
      const account = first.account_id;
      const theirs = { _id: { $gt: this.after, $lt: idPrefix(account, idTime(before)) }, ...ENDED };
      const old = deliveries
        .find(theirs, { projection: { _id: 1 }, hint: { _id: 1 } })
        .sort({ _id: 1 })
        .limit(left);
      const ids = (await withStoreFaults(old.toArray())).map(({ _id }) => _id);
      if (ids.length > 0) await withStoreFaults(deliveries.deleteMany({ _id: { $in: ids }, ...ENDED }));
      left -= ids.length;
      this.after = left > 0 ? idPrefix(account, AFTER_LAST_ID) : ids.at(-1)!;
    }
    return true;
  }
}

async function deleteContents(deliveries: Deliveries, before: number, limit: number): Promise<number> {
  const filter = { kept: { $exists: true }, message_id: { $lt: idTime(before) } };
  const cursor = deliveries.find(filter, { projection: { _id: 1 }, hint: KEPT_CONTENTS_INDEX });
  const ids = (await withStoreFaults(cursor.limit(limit).toArray())).map(({ _id }) => _id);
  if (ids.length === 0) return 0;
  const still = { _id: { $in: ids }, kept: { $exists: true } };
  await withStoreFaults(deliveries.updateMany(still, { $unset: { content: 1, kept: 1 } }));
  return ids.length;
}

/** The beginning of a document id: `idOf` without the characters that close it. */
function idPrefix(account: string, beginning: string): string {
  return idOf(account, beginning).slice(0, -2);
}
