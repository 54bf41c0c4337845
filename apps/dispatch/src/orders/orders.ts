import { Inject, Injectable } from '@nestjs/common';
import type { LostCopy } from '@lettermill/events';
import { Problem, unavailable } from '@lettermill/problems';
import { CLOCK, type Clock } from '@lettermill/runtime';
import {
  DELIVERY_STORE,
  PRIORITIES,
  type DeliveryKey,
  type DeliveryRecords,
  type StoredDelivery,
} from '../deliveries/deliveries.store';
import type { Delivery } from '../lifecycle/delivery';
import { deliveryEvent } from '../lifecycle/delivery.events';
import { jobOf, retryRecipients } from '../deliveries/delivery.job';
import { Outcomes } from '../sending/outcomes';
import { Sender } from '../sending/sender';
import { decideCancel, decideRetry, type OrderVerdict, type Refusal } from './order.decide';

/** If a delivery changes at the same time, the order is decided again, at most this often. */
const MAX_ROUNDS = 10;

type Decide = (delivery: Delivery, stored: StoredDelivery | undefined) => OrderVerdict;

/** What users ask for: that a message is not sent, or is tried again. */
@Injectable()
export class Orders {
  constructor(
    @Inject(DELIVERY_STORE) private readonly store: DeliveryRecords,
    private readonly outcomes: Outcomes,
    private readonly sender: Sender,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  async find(key: DeliveryKey): Promise<StoredDelivery> {
    const [found] = await this.store.find([key]);
    if (!found) throw unknownMessage();
    return found;
  }

  /** `unseen`: the message belongs to the account, whether or not it has arrived here yet. Rejects with `Problem`. */
  cancel(key: DeliveryKey, unseen: boolean): Promise<Delivery> {
    return this.carryOut(key, unseen, decideCancel);
  }

  /** `suppressed`: copies that it must not go to any more. Rejects with `Problem`. */
  async retry(key: DeliveryKey, suppressed: LostCopy[]): Promise<Delivery> {
    const next = await this.carryOut(key, false, (delivery, stored) => this.decideRetry(delivery, stored, suppressed));
    // High, so that the queue is read again from its head, whatever the rank of the delivery.
    this.sender.noteDue(PRIORITIES.high);
    return next;
  }

  /** Why a retry would be refused now, whoever is suppressed. */
  retryRefusal(stored: StoredDelivery): Refusal | null {
    const verdict = this.decideRetry(stored, stored, []);
    return 'refused' in verdict ? verdict.refused : null;
  }

  private decideRetry(delivery: Delivery, stored: StoredDelivery | undefined, suppressed: LostCopy[]): OrderVerdict {
    const to = stored ? retryRecipients(stored) : [];
    return decideRetry(delivery, stored && jobOf(stored)?.terms, { now: this.now(), to, suppressed });
  }

  private async carryOut(key: DeliveryKey, unseen: boolean, decide: Decide): Promise<Delivery> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const [stored] = await this.store.find([key]);
      if (!stored && !unseen) throw unknownMessage();
      const delivery: Delivery = stored ?? { ...key, state: 'queued', attempts: 0, dueAt: null };
      const verdict = decide(delivery, stored);
      if ('refused' in verdict) throw new Problem(verdict.refused.code, verdict.refused.detail);
      if ('stands' in verdict) return verdict.stands;
      const { next, told } = verdict;
      const { messageId, attempts } = delivery;
      const frame = { messageId, attempt: attempts + 1, at: this.now(), traceparent: stored?.traceparent };
      if (await this.outcomes.order(stored ?? null, next, deliveryEvent(frame, told))) return next;
    }
    throw unavailable('Too many changes to this message at the same time.');
  }
}

function unknownMessage(): Problem {
  return new Problem('not_found', 'Dispatch has no message with this id.');
}
