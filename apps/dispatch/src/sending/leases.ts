import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, INSTANCE, type Clock } from '@lettermill/runtime';
import {
  DELIVERY_STORE,
  type Claim,
  type ClaimedDelivery,
  type DeliveryClaims,
  type DeliveryKey,
  type InsertResult,
  type Lease,
  type NewDelivery,
} from '../deliveries/deliveries.store';
import { Withdrawal } from '../smtp/smtp.withdrawal';

/** A lease lasts this long and is renewed three times in it. */
const LEASE_MS = 60_000;
export const RENEW_INTERVAL_MS = 20_000;
/** No mail is handed over at the end of its lease: clocks differ, and a process may stand still once more after it asked its own. */
const MARGIN_MS = 10_000;
/** The clocks of two replicas may differ by this much. */
const MAX_CLOCK_SKEW_MS = 60_000;
/** After this many polls, RENEW_INTERVAL_MS apart, every running process has renewed its claims since the clock was set back. */
const POLLS_UNTIL_ALL_RENEWED = 2;
/** A time at which no lease has expired. */
const BEFORE_ALL_LEASES = 0;

interface HeldClaim {
  claim: Claim;
  /** When the lease ends. */
  until: number;
  lost: Withdrawal;
}

/** The claims that this process holds. */
@Injectable()
export class Leases {
  private readonly held = new Map<string, HeldClaim>();
  /** How often we looked at the claims of others since this process began, the clock was set back, or the store was unavailable. */
  private polls = 0;
  private lastPollAt = -Infinity;

  constructor(
    @Inject(DELIVERY_STORE) private readonly store: DeliveryClaims,
    @Inject(INSTANCE) readonly owner: string,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  claim(keys: DeliveryKey[]): Promise<ClaimedDelivery[]> {
    return this.store.claim(keys, this.lease());
  }

  /** Stores new deliveries and claims some of them. */
  insertAndClaim(deliveries: NewDelivery[], keys: DeliveryKey[]): Promise<InsertResult> {
    return this.store.insertAndClaim(deliveries, keys, this.lease());
  }

  /**
   * Takes over expired claims that this process does not hold: claims of others, and our own whose end could not be recorded. The first
   * poll takes none: if nobody could renew while the store was unavailable, every running process renews before the second poll, or records
   * the outcome. A claim that ends later than any can end now was made before the clock was set back: its holder has two polls' time to
   * renew it.
   */
  async takeOver(limit: number): Promise<ClaimedDelivery[]> {
    const held = [...this.held.values()].map(({ claim }) => claim);
    const lease = this.lease();
    const polls = lease.now < this.lastPollAt ? 0 : this.polls;
    this.lastPollAt = lease.now;
    this.polls = 0;
    const astray = polls < POLLS_UNTIL_ALL_RENEWED ? undefined : lease.until + MAX_CLOCK_SKEW_MS;
    const now = polls < 1 ? BEFORE_ALL_LEASES : lease.now;
    const taken = await this.store.takeOver({ ...lease, now, astray }, limit, held);
    // Calls count as one poll until nothing is left to take over.
    this.polls = taken.length > 0 ? polls : polls + 1;
    return taken;
  }

  /** Takes over claims that an earlier process left under our name; to be called before this one claims any. */
  takeOverOwn(limit: number): Promise<ClaimedDelivery[]> {
    return this.store.takeOverOwn(this.lease(), limit);
  }

  claimOf({ accountId, messageId, attempts, claimedAt }: ClaimedDelivery): Claim {
    return { accountId, messageId, attempts, claimedAt, owner: this.owner };
  }

  /**
   * Holds the claim, which `renew` renews, while `work` runs; `work` is withdrawn when the claim is lost, its lease was not renewed in time,
   * or this process shuts down.
   */
  async hold(claimed: ClaimedDelivery, work: (lost: Withdrawal) => Promise<void>): Promise<void> {
    const lost = new Withdrawal(() => held.until - MARGIN_MS <= this.now());
    const held: HeldClaim = { claim: this.claimOf(claimed), until: claimed.claimedAt + LEASE_MS, lost };
    this.held.set(claimed.messageId, held);
    try {
      await work(lost);
    } finally {
      // A claim given back may be claimed again before this is reached.
      if (this.held.get(claimed.messageId) === held) this.held.delete(claimed.messageId);
    }
  }

  async renew(): Promise<void> {
    const all = [...this.held.values()];
    const { until } = this.lease();
    const stand = await this.stand(
      all.map(({ claim }) => claim),
      until,
    );
    // It has no effect on a claim that ended during the renewal.
    all.forEach((held, index) => {
      if (stand[index]) held.until = until;
      else held.lost.withdraw();
    });
  }

  withdrawAll(): void {
    for (const { lost } of this.held.values()) lost.withdraw();
  }

  /** Renews the claims; resolves, per claim, to whether it still stood. */
  private async stand(claims: Claim[], until: number): Promise<boolean[]> {
    try {
      return await this.store.renew(claims, until);
    } catch (error) {
      this.polls = 0;
      throw error;
    }
  }

  private lease(): Lease {
    const now = this.now();
    return { owner: this.owner, now, until: now + LEASE_MS };
  }
}
