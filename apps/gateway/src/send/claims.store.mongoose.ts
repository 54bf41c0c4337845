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
import {
  ENDED,
  messageIdsIn,
  namelessIdsOf,
  type Claim,
  type ClaimStore,
  type HeldName,
  type ClaimRef,
  type Releasable,
  type UniqueName,
  type TakenId,
} from './claims.store';
import { NAME_INDEXES, NAME_SCHEMA, type NameDocument } from './names.schema.mongoose';

type Operation = BulkOperation<NameDocument>;

function heldName(name: NameDocument): HeldName {
  return {
    kind: name.kind,
    value: name.value,
    messageId: name.message_id,
    requestId: name.request_id,
    nameless: name.message_ids,
    fingerprint: name.fingerprint,
    state: name.state,
    leaseUntil: name.lease_until,
    ack: name.ack ?? null,
    ...(name.contact !== undefined && { contact: name.contact }),
  };
}

/** All requests take names in this order: among requests that want the same names, one always gets all of its own. */
function inLockOrder<N extends UniqueName>(accountId: string, names: N[]): { id: string; name: N }[] {
  const wanted = names.map((name) => ({ id: idOf(accountId, name.kind, name.value), name }));
  return wanted.sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** When the server removes a key, answered or not. */
function expiry({ keyExpiresAt }: Claim, { kind }: UniqueName): Pick<NameDocument, 'expires_at'> {
  return kind === 'key' ? { expires_at: new Date(keyExpiresAt) } : {};
}

function requestFilter({ accountId, requestId }: Pick<ClaimRef, 'accountId' | 'requestId'>) {
  return { account_id: { $eq: accountId }, request_id: { $eq: requestId } };
}

function heldFilter({ leaseUntil, ...request }: ClaimRef) {
  return {
    ...requestFilter(request),
    lease_until: { $eq: leaseUntil },
    state: { $eq: 'claimed' as const },
  };
}

/** Inserts the name unless this request has it already; fails with a duplicate key if another request has it. */
function insertion(claim: Claim, namelessIds: string[], { id, name }: { id: string; name: UniqueName }): Operation {
  const { accountId, requestId, fingerprint, leaseUntil } = claim;
  const fields = {
    account_id: accountId,
    kind: name.kind,
    value: name.value,
    message_id: name.messageId,
    message_ids: namelessIds,
    fingerprint,
    state: 'claimed' as const,
    lease_until: leaseUntil,
    ...(name.contact !== undefined && { contact: name.contact }),
    ...expiry(claim, name),
  };
  return {
    updateOne: {
      filter: { _id: { $eq: id }, request_id: { $eq: requestId } },
      update: { $setOnInsert: fields },
      upsert: true,
    },
  };
}

/** Gives a name to the claim if the expected request still holds it and its lease has ended. */
function move(
  claim: Claim,
  namelessIds: string[],
  { id, name }: { id: string; name: HeldName },
  now: number,
): Operation {
  const { requestId, fingerprint, leaseUntil } = claim;
  const theirs = { _id: { $eq: id }, request_id: { $eq: name.requestId }, state: { $eq: 'claimed' as const } };
  return {
    updateOne: {
      filter: { ...theirs, lease_until: { $lt: now } },
      update: {
        $set: {
          request_id: requestId,
          message_ids: namelessIds,
          fingerprint,
          lease_until: leaseUntil,
          ...expiry(claim, name),
        },
      },
    },
  };
}

/** Gives a name back to the request that held it before the claim took it over. */
function restoration(claim: ClaimRef, { kind, value, requestId, nameless, fingerprint }: HeldName): Operation {
  const fields = { request_id: requestId, message_ids: nameless, fingerprint, lease_until: ENDED };
  return {
    updateOne: {
      filter: { _id: { $eq: idOf(claim.accountId, kind, value) }, ...heldFilter(claim) },
      update: { $set: fields },
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
    const { accountId } = claim;
    const wanted = inLockOrder(accountId, claim.names);
    const namelessIds = namelessIdsOf(claim);
    for (;;) {
      const insertions = wanted.map((one) => insertion(claim, namelessIds, one));
      const { refused } = await bulkWrite(this.names, insertions, { ordered: true });
      if (refused.size === 0) return [];
      const held = await this.heldByOthers(claim, wanted);
      if (!claim.tookOver) await this.release(claim);
      // If the other request has released the names meanwhile, try again from the start.
      if (held.length > 0) return held.map(heldName);
    }
  }

  async taken(accountId: string, externalIds: string[]): Promise<TakenId[]> {
    const ids = externalIds.map((value) => idOf(accountId, 'external', value));
    const confirmed = { _id: { $in: ids }, state: { $eq: 'confirmed' as const } };
    const found = await withStoreFaults(this.names.find(confirmed).lean<NameDocument[]>().exec());
    return found.map(({ value, message_id }) => ({ value, messageId: message_id! }));
  }

  async messageIdsOf(accountId: string, requestIds: string[]): Promise<string[]> {
    const theirs = { account_id: { $eq: accountId }, request_id: { $in: requestIds } };
    const found = await withStoreFaults(this.names.find(theirs).lean<NameDocument[]>().exec());
    return messageIdsIn(found.map(heldName));
  }

  /** The updates are not atomic together, but whoever gets the first name in order gets the others, too. */
  async takeOver(claim: Claim, held: HeldName[], now: number): Promise<boolean> {
    const namelessIds = namelessIdsOf(claim);
    const [first, ...rest] = inLockOrder(claim.accountId, held).map((one) => move(claim, namelessIds, one, now));
    const { matched } = await bulkWrite(this.names, [first!]);
    if (matched === 0) return false;
    await bulkWrite(this.names, rest);
    return true;
  }

  async renew(claim: Claim, leaseUntil: number): Promise<boolean> {
    const { matchedCount } = await withStoreFaults(
      this.names.updateMany(heldFilter(claim), { $set: { lease_until: leaseUntil } }).exec(),
    );
    if (matchedCount === 0 || matchedCount === claim.names.length) return matchedCount > 0;
    // Names already confirmed when a server was killed while confirming belong to the request, too.
    const confirmed = { ...requestFilter(claim), state: { $eq: 'confirmed' as const } };
    return matchedCount + (await withStoreFaults(this.names.countDocuments(confirmed).exec())) === claim.names.length;
  }

  /** One command, so that a process that dies leaves no request half confirmed. A server that dies may: `decideClaim` handles that. */
  async confirm(accountId: string, requestId: string, ack: string, keyExpiresAt: number): Promise<void> {
    const ofKey = (value: unknown) => ({ $cond: [{ $eq: ['$kind', 'key'] }, { $literal: value }, '$$REMOVE'] });
    const confirmed = [{ $set: { state: 'confirmed', ack: ofKey(ack), expires_at: ofKey(new Date(keyExpiresAt)) } }];
    await withStoreFaults(this.names.collection.updateMany(requestFilter({ accountId, requestId }), confirmed));
  }

  async release({ tookOver = [], ...claim }: Releasable): Promise<void> {
    if (tookOver.length > 0)
      await bulkWrite(
        this.names,
        tookOver.map((name) => restoration(claim, name)),
      );
    await withStoreFaults(this.names.deleteMany(heldFilter(claim)).exec());
  }

  async abandon(hold: ClaimRef): Promise<void> {
    await withStoreFaults(this.names.updateMany(heldFilter(hold), { $set: { lease_until: ENDED } }).exec());
  }

  /** The server's own expiry does the same within a minute or so; this call returns how many were removed. */
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
