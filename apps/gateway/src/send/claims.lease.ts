import type { Clock } from '@lettermill/runtime';
import type { Claim, ClaimStore } from './claims.store';

/** Longer than append and confirm take together, even under load. */
export const LEASE_MS = 30_000;
export const RENEW_INTERVAL_MS = 10_000;

/** A claim while its request is in progress. The lease is renewed until the request is done, however long its files and templates take. */
export class ClaimLease {
  private readonly timer: NodeJS.Timeout;
  private renewing = Promise.resolve(true);
  /** Lease ends requested by renewals that got no answer: whether they are in the store is not known. */
  private readonly uncertainEnds = new Set<number>();

  constructor(
    private current: Claim,
    private readonly store: Pick<ClaimStore, 'renew'>,
    private readonly now: Clock,
  ) {
    this.timer = setInterval(() => void this.renew().catch(() => undefined), RENEW_INTERVAL_MS).unref();
  }

  get claim(): Claim {
    return this.current;
  }

  /**
   * Whether all names are still ours for a while; to be called before a step that cannot be undone. Rejects with the error of the store.
   */
  async isStillHeld(): Promise<boolean> {
    const since = this.now() - (this.current.leaseUntil - LEASE_MS);
    return since >= 0 && since < RENEW_INTERVAL_MS ? this.renewing : this.renew();
  }

  /** Stops renewing; resolves to the claim as it stands in the store. */
  async end(): Promise<Claim> {
    clearInterval(this.timer);
    await this.renewing.catch(() => undefined);
    // To give a claim back, its lease end must be known.
    if (this.uncertainEnds.size > 0) await this.renew().catch(() => undefined);
    return this.current;
  }

  private renew(): Promise<boolean> {
    // An error of the store says nothing about who holds the claim; once the claim is lost, it stays lost.
    const before = this.renewing.catch(() => true);
    this.renewing = before.then((stood) => stood && this.renewOnce());
    return this.renewing;
  }

  /** A renewal without an answer may have been carried out, so the lease ends it asked for are tried, too. */
  private async renewOnce(): Promise<boolean> {
    const leaseUntil = this.now() + LEASE_MS;
    for (const possibleEnd of [this.current.leaseUntil, ...this.uncertainEnds]) {
      this.uncertainEnds.add(leaseUntil);
      if (!(await this.store.renew({ ...this.current, leaseUntil: possibleEnd }, leaseUntil))) continue;
      this.current = { ...this.current, leaseUntil };
      this.uncertainEnds.clear();
      return true;
    }
    return false;
  }
}
