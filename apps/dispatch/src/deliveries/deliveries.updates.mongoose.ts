import { idOf, type BulkOperation, type MongoDriver } from '@lettermill/storage';
import { isContentObsolete, type Delivery } from '../lifecycle/delivery';
import { OUTCOME_IDS_INDEX, type DeliveryDocument } from './deliveries.schema.mongoose';
import { MAIN_LANE } from './deliveries.store';
import type {
  Claim,
  DeliveryKey,
  DueDelivery,
  Lease,
  NewDelivery,
  Order,
  Settlement,
  TakeoverLease,
} from './deliveries.store';

type ObjectId = MongoDriver.ObjectId;
export type Operation = BulkOperation<DeliveryDocument>;

/** A delivery found under somebody's lease, as it was read. */
export type LeasedDelivery = Required<Pick<DeliveryDocument, '_id' | 'attempts' | 'owner' | 'lease_until'>>;

/** Outcomes deleted per operation of a bulk write: each delivery it finds is compared with all of them. */
const FORGET_BATCH_SIZE = 100;
const LEASE_FIELDS = { owner: 1, claimed_at: 1, lease_until: 1 } as const;

export const deliveryId = ({ accountId, messageId }: DeliveryKey): string => idOf(accountId, messageId);

const claimFields = ({ owner, now, until }: Lease, claim: ObjectId) => ({
  state: 'sending' as const,
  owner,
  claimed_at: now,
  lease_until: until,
  claim,
});

const claimFilter = (claim: Claim) => ({
  _id: { $eq: deliveryId(claim) },
  owner: { $eq: claim.owner },
  attempts: { $eq: claim.attempts },
});

/** A new delivery that waits to be sent. */
export function newDocument(delivery: NewDelivery): DeliveryDocument {
  const { accountId, messageId, priority, domain, dueAt, expiresAt, content, recipients, traceparent } = delivery;
  return {
    _id: deliveryId(delivery),
    account_id: accountId,
    message_id: messageId,
    state: 'queued',
    priority,
    attempts: 0,
    domain,
    lane: MAIN_LANE,
    due_at: dueAt,
    ...(expiresAt === null ? {} : { expires_at: expiresAt }),
    content,
    recipients,
    requested_attempt: 0,
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

/** A new delivery that is inserted as already claimed, before anybody else can see it. */
export function claimedDocument(delivery: NewDelivery, lease: Lease, claim: ObjectId): DeliveryDocument {
  const { due_at: _due, ...document } = newDocument(delivery);
  return { ...document, ...claimFields(lease, claim) };
}

/** One update for all, as only their ids differ. */
export function claimOperation(ids: string[], lease: Lease, claim: ObjectId): Operation {
  const filter = { _id: { $in: ids }, due_at: { $lte: lease.now } };
  return { updateMany: { filter, update: { $set: claimFields(lease, claim), $unset: { due_at: 1 } } } };
}

/** Undoes a claim whose answer was lost: nothing was sent under it, so the delivery is due again, in the main lane. */
export function undoClaimOperations(ids: string[], claim: ObjectId, now: number): Operation[] {
  const theirs = { _id: { $in: ids }, claim: { $eq: claim }, state: { $eq: 'sending' as const } };
  const waiting = (state: 'queued' | 'deferred') => ({
    $set: { state, due_at: now, lane: MAIN_LANE },
    $unset: LEASE_FIELDS,
  });
  return [
    { updateMany: { filter: { ...theirs, attempts: { $eq: 0 } }, update: waiting('queued') } },
    { updateMany: { filter: { ...theirs, attempts: { $gt: 0 } }, update: waiting('deferred') } },
  ];
}

/** `$exists` selects the partial index of leases, which contains only deliveries under a lease. */
export function takeoverFilter({ now, astray }: TakeoverLease, held: DeliveryKey[]) {
  const _id = { $nin: held.map(deliveryId) };
  if (astray === undefined) return { lease_until: { $lte: now }, _id };
  return {
    lease_until: { $exists: true },
    $or: [{ lease_until: { $lte: now } }, { lease_until: { $gt: astray } }],
    _id,
  };
}

export function takeoverOperation(found: LeasedDelivery, { owner, until }: Lease, claim: ObjectId): Operation {
  const { _id, attempts, owner: before, lease_until } = found;
  const filter = {
    _id: { $eq: _id },
    owner: { $eq: before },
    attempts: { $eq: attempts },
    lease_until: { $eq: lease_until },
  };
  return { updateOne: { filter, update: { $set: { owner, lease_until: until, claim } } } };
}

/** Undoes a takeover whose answer was lost: the lease becomes nobody's and expired, so that it is taken over again. */
export function undoTakeoverOperations(ids: string[], claim: ObjectId): Operation[] {
  const filter = { _id: { $in: ids }, claim: { $eq: claim }, state: { $eq: 'sending' as const } };
  return [{ updateMany: { filter, update: { $set: { owner: '', lease_until: 0 } } } }];
}

export function renewOperation(claim: Claim, until: number): Operation {
  return { updateOne: { filter: claimFilter(claim), update: { $set: { lease_until: until } } } };
}

/** The fields that change only if the next state mentions them. */
interface OptionalChanges {
  set: Pick<DeliveryDocument, 'rest' | 'may_have_arrived' | 'may_have_arrived_before' | 'requested_attempt'>;
  unset: { rest?: 1; may_have_arrived?: 1 };
}

function optionalChanges({ rest, mayHaveArrived, mayHaveArrivedBefore, requestedAttempt }: Delivery): OptionalChanges {
  return {
    set: {
      ...(rest && { rest }),
      ...(mayHaveArrived && { may_have_arrived: true }),
      ...(mayHaveArrivedBefore && { may_have_arrived_before: true }),
      ...(requestedAttempt !== undefined && { requested_attempt: requestedAttempt }),
    },
    unset: { ...(rest === null && { rest: 1 }), ...(mayHaveArrived === null && { may_have_arrived: 1 }) },
  };
}

/** State, outcome and the end of the claim are one write: a process that is fenced out announces nothing either. */
export function settleOperation(settlement: Settlement, settled: ObjectId, seq: ObjectId): Operation {
  const { claim, next, event } = settlement;
  const due = next.dueAt === null ? {} : { due_at: next.dueAt };
  const gone = { ...LEASE_FIELDS, ...(isContentObsolete(settlement) ? { content: 1 as const } : {}) };
  const { set: more, unset } = optionalChanges(next);
  const kept = settlement.mayReturn ? { kept: true as const } : {};
  const set = { state: next.state, attempts: next.attempts, settled, ...due, ...kept };
  const update = event
    ? {
        $set: { ...set, ...more, last_event: event.id },
        $unset: { ...gone, ...unset },
        $push: { outcomes: { ...event, seq } },
        $min: { told_at: seq },
      }
    : { $set: set, $unset: gone };
  const filter = event ? claimFilter(claim) : { ...claimFilter(claim), claimed_at: { $eq: claim.claimedAt } };
  return { updateOne: { filter, update } };
}

/** A change asked for outside any attempt. For a delivery that is not there it is an insert, which succeeds only the first time. */
export function orderOperation({ before, next, event }: Order, settled: ObjectId, seq: ObjectId): Operation {
  const reportFields = { last_event: event.id, settled };
  if (before === null) {
    const { accountId, messageId, state, attempts } = next;
    const document: DeliveryDocument = {
      _id: deliveryId(next),
      account_id: accountId,
      message_id: messageId,
      state,
      lane: MAIN_LANE,
      priority: 1,
      attempts,
      ...reportFields,
      told_at: seq,
      outcomes: [{ ...event, seq }],
    };
    return { insertOne: { document } };
  }
  const filter = {
    _id: { $eq: deliveryId(before) },
    state: { $eq: before.state },
    attempts: { $eq: before.attempts },
    due_at: before.dueAt === null ? { $exists: false } : { $eq: before.dueAt },
  };
  const due = next.dueAt === null ? {} : { due_at: next.dueAt, lane: MAIN_LANE };
  const { set: more, unset } = optionalChanges(next);
  const gone = {
    kept: 1 as const,
    ...(next.dueAt === null ? { due_at: 1 as const } : {}),
    ...(isContentObsolete({ next }) ? { content: 1 as const } : {}),
    ...unset,
  };
  const update = {
    $set: { state: next.state, ...due, ...more, ...reportFields },
    $unset: gone,
    $push: { outcomes: { ...event, seq } },
    $min: { told_at: seq },
  };
  return { updateOne: { filter, update } };
}

/** Moves a delivery into the lane of its domain if it still waits. */
export function putAsideOperation(delivery: DueDelivery): Operation {
  const filter = { _id: { $eq: deliveryId(delivery) }, due_at: { $exists: true } };
  return { updateOne: { filter, update: { $set: { lane: delivery.domain } } } };
}

/** Removes the outcomes; with the last one of a delivery also its `told_at`, by which deliveries with outcomes are found. */
export function forgetOperations(ids: string[]): Operation[] {
  const steps: Operation[] = [];
  for (let at = 0; at < ids.length; at += FORGET_BATCH_SIZE) {
    steps.push(forgetOperation(ids.slice(at, at + FORGET_BATCH_SIZE)));
  }
  return steps;
}

function forgetOperation(ids: string[]): Operation {
  const remaining = {
    $filter: { input: '$outcomes', as: 'one', cond: { $not: [{ $in: ['$$one.id', { $literal: ids }] }] } },
  };
  const ifAny = (value: unknown) => ({ $cond: [{ $eq: ['$outcomes', []] }, '$$REMOVE', value] });
  return {
    updateMany: {
      filter: { told_at: { $exists: true }, 'outcomes.id': { $in: ids } },
      update: [
        { $set: { outcomes: remaining } },
        { $set: { told_at: ifAny({ $min: '$outcomes.seq' }), outcomes: ifAny('$outcomes') } },
      ],
      hint: OUTCOME_IDS_INDEX,
    },
  };
}
