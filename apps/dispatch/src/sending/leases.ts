import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, INSTANCE, type Clock } from '@lettermill/runtime';
import {
  DELIVERY_STORE,
  type Claim,
  type ClaimedDelivery,
  type DeliveryClaims,
  type DeliveryKey,
  type Inserted,
  type Lease,
  type NewDelivery,
} from '../deliveries/deliveries.store';
import { Withdrawal } from '../smtp/smtp.withdrawal';

/** A lease lasts this long and is renewed three times in it. */
const LEASE_MS = 60_000;
export const RENEW_MS = 20_000;
/** Clocks of two replicas may differ by so much. */
const APART_MS = 60_000;
/** Looks, RENEW_MS apart, after which everybody who lives has renewed what he holds since the clock was set back. */
const LOOKS = 2;
/** Before every time there is. */
const NEVER = 0;

interface Held {
  claim: Claim;
  lost: Withdrawal;
}

/** The claims that this process holds. */
@Injectable()
export class Leases {
  private readonly held = new Map<string, Held>();
  /** At the claims of others, since we began, the clock was set back, or the store was away. */
  private looks = 0;
  private lastLook = -Infinity;

  constructor(
    @Inject(DELIVERY_STORE) private readonly store: DeliveryClaims,
    @Inject(INSTANCE) readonly owner: string,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  get size(): number {
    return this.held.size;
  }

  claim(keys: DeliveryKey[]): Promise<ClaimedDelivery[]> {
    return this.store.claim(keys, this.lease());
  }

  /** Keeps new deliveries and claims some of them. */
  insert(deliveries: NewDelivery[], keys: DeliveryKey[]): Promise<Inserted> {
    return this.store.insertAndClaim(deliveries, keys, this.lease());
  }

  /**
   * Claims that ran out and that nobody here holds: of others, and of ours those whose end could not be recorded; with `own`
   * those that a process before us left under our name. Where nobody could renew, the store being away, who still lives does so before the
   * second look, and records what became of it. One that ends later than any can was made before the clock was set back; it is renewed by
   * the new time, and there is time to.
   */
  async takeOver(own: boolean, limit: number): Promise<ClaimedDelivery[]> {
    const held = [...this.held.values()].map(({ claim }) => claim);
    const lease = this.lease();
    if (own) return this.store.takeOver(lease, own, limit, held);
    const looks = lease.now < this.lastLook ? 0 : this.looks;
    this.lastLook = lease.now;
    this.looks = 0;
    const astray = looks < LOOKS ? undefined : lease.until + APART_MS;
    const now = looks < 1 ? NEVER : lease.now;
    const taken = await this.store.takeOver({ ...lease, now, astray }, own, limit, held);
    // Until there is none left it is one look.
    this.looks = taken.length > 0 ? looks : looks + 1;
    return taken;
  }

  claimOf({ accountId, messageId, attempts, claimedAt }: ClaimedDelivery): Claim {
    return { accountId, messageId, attempts, claimedAt, owner: this.owner };
  }

  /** Renews the claim while `work` goes on, which is withdrawn when the claim was lost, or when we are leaving. */
  async hold(claimed: ClaimedDelivery, work: (lost: Withdrawal) => Promise<void>): Promise<void> {
    const held = { claim: this.claimOf(claimed), lost: new Withdrawal() };
    this.held.set(claimed.messageId, held);
    try {
      await work(held.lost);
    } finally {
      // What is given back may be claimed again before this is over.
      if (this.held.get(claimed.messageId) === held) this.held.delete(claimed.messageId);
    }
  }

  async renew(): Promise<void> {
    const all = [...this.held.values()];
    const stand = await this.stand(all.map(({ claim }) => claim));
    all.forEach(({ claim, lost }, index) => {
      // One that ended while it was renewed is no longer ours to lose.
      if (!stand[index] && this.held.get(claim.messageId)?.claim === claim) lost.withdraw();
    });
  }

  withdrawAll(): void {
    for (const { lost } of this.held.values()) lost.withdraw();
  }

  /** Renews them; answers whether each stood. */
  private async stand(claims: Claim[]): Promise<boolean[]> {
    try {
      return await this.store.renew(claims, this.now() + LEASE_MS);
    } catch (error) {
      this.looks = 0;
      throw error;
    }
  }

  private lease(): Lease {
    const now = this.now();
    return { owner: this.owner, now, until: now + LEASE_MS };
  }
}
