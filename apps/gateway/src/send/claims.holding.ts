import type { Clock } from '@lettermill/runtime';
import type { Claim, ClaimStore } from './claims.store';

/** Longer than append and confirm take together, however loaded the log is. */
export const LEASE_MS = 30_000;
export const RENEW_MS = 10_000;

/** A claim in hand: its lease is renewed until it is through, however long its files and templates take. */
export class Holding {
  private readonly timer: NodeJS.Timeout;
  private renewing = Promise.resolve(true);
  /** Ends of leases that were asked for; nobody knows whether they hold. */
  private readonly unanswered = new Set<number>();

  constructor(
    private held: Claim,
    private readonly store: Pick<ClaimStore, 'renew'>,
    private readonly now: Clock,
  ) {
    this.timer = setInterval(() => void this.renew().catch(() => undefined), RENEW_MS).unref();
  }

  get claim(): Claim {
    return this.held;
  }

  /** Whether every name is ours, for a while yet; to be asked before what can't be undone. Rejects as the store does. */
  async stands(): Promise<boolean> {
    const since = this.now() - (this.held.leaseUntil - LEASE_MS);
    return since >= 0 && since < RENEW_MS ? this.renewing : this.renew();
  }

  /** It is renewed no more; answers it as it stands in the store. */
  async end(): Promise<Claim> {
    clearInterval(this.timer);
    await this.renewing.catch(() => undefined);
    // Nobody could give back a claim of which it is not known until when it holds.
    if (this.unanswered.size > 0) await this.renew().catch(() => undefined);
    return this.held;
  }

  private renew(): Promise<boolean> {
    // A fault says nothing of who holds it; once it is lost it stays so.
    const before = this.renewing.catch(() => true);
    this.renewing = before.then((stood) => stood && this.renewOnce());
    return this.renewing;
  }

  /** A renewal without an answer may have been carried out: then the next one goes on from it. */
  private async renewOnce(): Promise<boolean> {
    const leaseUntil = this.now() + LEASE_MS;
    for (const before of [this.held.leaseUntil, ...this.unanswered]) {
      this.unanswered.add(leaseUntil);
      if (!(await this.store.renew({ ...this.held, leaseUntil: before }, leaseUntil))) continue;
      this.held = { ...this.held, leaseUntil };
      this.unanswered.clear();
      return true;
    }
    return false;
  }
}
