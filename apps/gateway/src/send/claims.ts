import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { pause } from '@lettermill/concurrency';
import { CLOCK, INSTANCE, LOGGER, type Clock, type Logger } from '@lettermill/runtime';
import { decideClaim, type Decision } from './claims.decide';
import { CLAIM_STORE, type Claim, type ClaimStore, type HeldName, type TakenId } from './claims.store';

/** Longer than claim, append and confirm take together, however loaded the log is. */
export const LEASE_MS = 30_000;
/** Twins wait this long for the first one's outcome (docs/send.md 13). */
const TWIN_WAIT_MS = 2_000;
/** They look again after this long at first, then ever less often: fifty twins must not keep the first one from its work. */
const TWIN_LOOK_MS = 20;
const TWIN_LOOK_MAX_MS = 250;
const KEY_LIFE_MS = 48 * 3_600_000;
const SWEEP_MS = 600_000;

/** How a claim ended: ours (perhaps with the ids of one that died), or answered by what was there. */
export type Claimed =
  | { granted: Claim }
  | Extract<Decision, { do: 'replay' | 'refuse-key' | 'refuse-ids' }>
  | { do: 'wait'; retryAfterS: number };

type Wanted = Omit<Claim, 'owner' | 'leaseUntil' | 'keyExpiresAt'>;

/** Names of requests: taken before the append, confirmed after it, given back when a request fails. */
@Injectable()
export class Claims implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(CLAIM_STORE) private readonly store: ClaimStore,
    @Inject(CLOCK) private readonly now: Clock,
    @Inject(INSTANCE) private readonly instance: string,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** What a process of our name left behind can be taken over at once. */
  async onApplicationBootstrap(): Promise<void> {
    await this.store.expireLeases(this.instance, this.now());
    this.timer = setInterval(() => void this.sweep(), SWEEP_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  async take(wanted: Wanted): Promise<Claimed> {
    const now = this.now();
    const patience = now + TWIN_WAIT_MS;
    let wait = TWIN_LOOK_MS;
    const term = { leaseUntil: now + LEASE_MS, keyExpiresAt: now + KEY_LIFE_MS };
    let claim: Claim = { ...wanted, owner: this.instance, ...term };
    for (;;) {
      const held = await this.claim(claim);
      const decision = decideClaim(claim, held, this.now());
      switch (decision.do) {
        case 'proceed':
          return { granted: claim };
        case 'take-over':
          claim = await this.takeOver(claim, decision);
          break;
        case 'wait':
          if (this.now() >= patience) return { ...decision, retryAfterS: this.retryAfterS(decision.leaseUntil) };
          await pause(wait);
          wait = Math.min(2 * wait, TWIN_LOOK_MAX_MS);
          break;
        default:
          return decision;
      }
    }
  }

  /** Those of the external ids that are taken for ever. */
  taken(accountId: string, externalIds: string[]): Promise<TakenId[]> {
    return this.store.taken(accountId, externalIds);
  }

  confirm({ accountId, requestId }: Claim, ack: string): Promise<void> {
    return this.store.confirm(accountId, requestId, ack, this.now() + KEY_LIFE_MS);
  }

  /** Nothing of the request is on the log. Of one that took another's place, the first one's messages may be. */
  release(claim: Claim): Promise<void> {
    return claim.tookOver ? this.abandon(claim) : this.store.release(claim);
  }

  /** The request ended, and its messages may be on the log: a retry goes on at once, with the ids first decided. */
  abandon(claim: Claim): Promise<void> {
    return this.store.abandon(claim, this.now());
  }

  /** As long again as the first one has been at it; when its lease is over, whoever comes next goes on in its place. */
  private retryAfterS(leaseUntil: number): number {
    const left = leaseUntil - this.now();
    return Math.max(1, Math.ceil(Math.min(left, LEASE_MS - left) / 1000));
  }

  /** After a fault of the store some of the names may be taken: they are given back, if it can be told. */
  private async claim(claim: Claim): Promise<HeldName[]> {
    try {
      return await this.store.claim(claim);
    } catch (error) {
      await this.release(claim).catch(() => undefined);
      throw error;
    }
  }

  /** Twins may want the same place: whoever comes too late goes on as it came, and waits. */
  private async takeOver(own: Claim, { claim, held }: Extract<Decision, { do: 'take-over' }>): Promise<Claim> {
    const taken = await this.store.takeOver(claim, held, this.now());
    return taken ? { ...claim, tookOver: true } : own;
  }

  private async sweep(): Promise<void> {
    try {
      await this.store.sweep(this.now());
    } catch (error) {
      this.logger.warn({ err: error }, 'expired idempotency keys could not be removed; it is tried again');
    }
  }
}
