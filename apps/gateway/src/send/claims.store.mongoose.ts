import {
  bulkWrite,
  idOf,
  migrateMongo,
  modelOf,
  withStoreFaults,
  type BulkOperation,
  type MongoConnection,
  type StoreModel,
} from '@lettermill/storage';
import type { Claim, ClaimStore, HeldName, Name } from './claims.store';
import { NAME_INDEXES, NAME_SCHEMA, type NameDocument } from './names.schema.mongoose';

type Operation = BulkOperation<NameDocument>;

function heldName(name: NameDocument): HeldName {
  return {
    kind: name.kind,
    value: name.value,
    messageId: name.message_id,
    requestId: name.request_id,
    messageIds: name.message_ids,
    fingerprint: name.fingerprint,
    state: name.state,
    leaseUntil: name.lease_until,
    ack: name.ack ?? null,
  };
}

/** The order in which all claimants take names: of any who want the same names, one always gets all of its own. */
function inOrder<N extends Name>(accountId: string, names: N[]): { id: string; name: N }[] {
  const wanted = names.map((name) => ({ id: idOf(accountId, name.kind, name.value), name }));
  return wanted.sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** Inserts, unless it is there as ours; a duplicate key where another request has it. */
function insertion(claim: Claim, { id, name }: { id: string; name: Name }): Operation {
  const { accountId, requestId, messageIds, fingerprint, owner, leaseUntil } = claim;
  const fields = {
    ...{ account_id: accountId, kind: name.kind, value: name.value, message_id: name.messageId },
    ...{ message_ids: messageIds, fingerprint, state: 'claimed' as const, owner, lease_until: leaseUntil },
  };
  return {
    updateOne: {
      filter: { _id: { $eq: id }, request_id: { $eq: requestId } },
      update: { $setOnInsert: fields },
      upsert: true,
    },
  };
}

/** Gives a name to the claim if its holder is still who it was, and its lease is over. */
function move(claim: Claim, id: string, { messageId, requestId: before }: HeldName, now: number): Operation {
  const { requestId, fingerprint, owner, leaseUntil, messageIds } = claim;
  const theirs = { _id: { $eq: id }, request_id: { $eq: before }, state: { $eq: 'claimed' as const } };
  return {
    updateOne: {
      filter: { ...theirs, lease_until: { $lt: now } },
      update: {
        $set: {
          ...{ request_id: requestId, message_id: messageId, message_ids: messageIds },
          ...{ fingerprint, owner, lease_until: leaseUntil },
        },
      },
    },
  };
}

export class MongooseClaimStore implements ClaimStore {
  private readonly names: StoreModel<NameDocument>;

  constructor(private readonly connection: MongoConnection) {
    this.names = modelOf<NameDocument>(connection, 'gateway_names', NAME_SCHEMA);
  }

  migrate(): Promise<void> {
    return migrateMongo(this.connection, 'gateway.claims', [
      { name: '1-names', indexes: { gateway_names: NAME_INDEXES } },
    ]);
  }

  async claim(claim: Claim): Promise<HeldName[]> {
    const { accountId, requestId } = claim;
    const wanted = inOrder(accountId, claim.names);
    for (;;) {
      const insertions = wanted.map((one) => insertion(claim, one));
      const { refused } = await bulkWrite(this.names, insertions, { ordered: true });
      if (refused.size === 0) return [];
      const held = await this.heldByOthers(claim, wanted);
      if (!claim.tookOver) await this.release(accountId, requestId);
      // Who stood in the way may have given up meanwhile: then it is all to be done again.
      if (held.length > 0) return held.map(heldName);
    }
  }

  /** One by one these are not one step: whoever gets the first name in order gets the others too. */
  async takeOver(claim: Claim, held: HeldName[], now: number): Promise<boolean> {
    const [first, ...others] = inOrder(claim.accountId, held).map(({ id, name }) => move(claim, id, name, now));
    const { matched } = await bulkWrite(this.names, [first!]);
    if (matched === 0) return false;
    await bulkWrite(this.names, others);
    return true;
  }

  /** One command, so that a process that dies leaves no request half confirmed. */
  async confirm(accountId: string, requestId: string, ack: string, keyExpiresAt: number): Promise<void> {
    const ofKey = (value: unknown) => ({ $cond: [{ $eq: ['$kind', 'key'] }, { $literal: value }, '$$REMOVE'] });
    const confirmed = [
      { $set: { state: 'confirmed', ack: ofKey(ack), expires_at: ofKey(new Date(keyExpiresAt)) } },
      { $unset: 'owner' },
    ];
    const ofRequest = { account_id: { $eq: accountId }, request_id: { $eq: requestId } };
    await withStoreFaults(this.names.collection.updateMany(ofRequest, confirmed));
  }

  async release(accountId: string, requestId: string): Promise<void> {
    const mine = {
      account_id: { $eq: accountId },
      request_id: { $eq: requestId },
      state: { $eq: 'claimed' as const },
    };
    await withStoreFaults(this.names.deleteMany(mine).exec());
  }

  async expireLeases(owner: string): Promise<void> {
    const theirs = { owner: { $eq: owner }, state: { $eq: 'claimed' as const } };
    await withStoreFaults(this.names.updateMany(theirs, { $set: { lease_until: 0 } }).exec());
  }

  /** The server's own expiry does the same within a minute or so; this one says how many. */
  async sweep(now: number): Promise<number> {
    const { deletedCount } = await withStoreFaults(
      this.names.deleteMany({ expires_at: { $lt: new Date(now) } }).exec(),
    );
    return deletedCount;
  }

  private heldByOthers({ requestId }: Claim, wanted: { id: string }[]): Promise<NameDocument[]> {
    const theirs = { _id: { $in: wanted.map(({ id }) => id) }, request_id: { $ne: requestId } };
    return withStoreFaults(this.names.find(theirs).lean<NameDocument[]>().exec());
  }
}
