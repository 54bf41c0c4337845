import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, INSTANCE, type Clock } from '@lettermill/runtime';
import {
  DELIVERY_STORE,
  type Claim,
  type ClaimedDelivery,
  type DeliveryKey,
  type DeliveryStore,
  type Inserted,
  type Lease,
  type NewDelivery,
} from '../deliveries/deliveries.store';

/** A lease lasts this long and is renewed three times in it. */
const LEASE_MS = 60_000;
export const RENEW_MS = 20_000;

interface Held {
  claim: Claim;
  lost: AbortController;
}

/** The claims that this process holds. */
@Injectable()
export class Leases {
  private readonly held = new Map<string, Held>();

  constructor(
    @Inject(DELIVERY_STORE) private readonly store: DeliveryStore,
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
   * those that a process before us left under our name.
   */
  takeOver(own: boolean, limit: number): Promise<ClaimedDelivery[]> {
    const held = [...this.held.values()].map(({ claim }) => claim);
    return this.store.takeOver(this.lease(), own, limit, held);
  }

  claimOf({ accountId, messageId, attempts }: ClaimedDelivery): Claim {
    return { accountId, messageId, attempts, owner: this.owner };
  }

  /** Renews the claim while `work` goes on; the signal tells that it was lost, or that we are leaving. */
  async hold(claimed: ClaimedDelivery, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const held = { claim: this.claimOf(claimed), lost: new AbortController() };
    this.held.set(claimed.messageId, held);
    try {
      await work(held.lost.signal);
    } finally {
      this.held.delete(claimed.messageId);
    }
  }

  async renew(): Promise<void> {
    const all = [...this.held.values()];
    const stand = await this.store.renew(
      all.map(({ claim }) => claim),
      this.now() + LEASE_MS,
    );
    all.forEach(({ claim, lost }, index) => {
      // One that ended while it was renewed is no longer ours to lose.
      if (!stand[index] && this.held.get(claim.messageId)?.claim === claim) lost.abort();
    });
  }

  abortAll(): void {
    for (const { lost } of this.held.values()) lost.abort();
  }

  private lease(): Lease {
    const now = this.now();
    return { owner: this.owner, now, until: now + LEASE_MS };
  }
}
