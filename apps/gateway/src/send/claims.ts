import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CLOCK, INSTANCE, LOGGER, type Clock, type Logger } from '@lettermill/runtime';
import { decideClaim, type Decision } from './claims.decide';
import { CLAIM_STORE, type Claim, type ClaimStore } from './claims.store';

/** Longer than claim, append and confirm take together, however loaded the log is. */
export const LEASE_MS = 30_000;
/** Twins wait this long for the first one's outcome (design 1). */
const TWIN_WAIT_MS = 2_000;
/** They look again after this long at first, then ever less often: fifty twins must not keep the first one from its work. */
const TWIN_LOOK_MS = 20;
const TWIN_LOOK_MAX_MS = 250;
const KEY_LIFE_MS = 48 * 3_600_000;
const SWEEP_MS = 600_000;

/** How a claim ended: ours (perhaps with the ids of one that died), or answered by what was there. */
export type Claimed = { granted: Claim } | Extract<Decision, { do: 'replay' | 'refuse-key' | 'refuse-ids' | 'wait' }>;

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
    await this.store.expireLeases(this.instance);
    this.timer = setInterval(() => void this.sweep(), SWEEP_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  async take(wanted: Omit<Claim, 'owner' | 'leaseUntil'>): Promise<Claimed> {
    const patience = this.now() + TWIN_WAIT_MS;
    let pause = TWIN_LOOK_MS;
    let claim: Claim = { ...wanted, owner: this.instance, leaseUntil: this.now() + LEASE_MS };
    for (;;) {
      const held = await this.store.claim(claim);
      const decision = decideClaim(claim, held, this.now());
      switch (decision.do) {
        case 'proceed':
          return { granted: claim };
        case 'take-over':
          claim = await this.takeOver(claim, decision);
          break;
        case 'wait':
          if (this.now() >= patience) return decision;
          await sleep(pause);
          pause = Math.min(2 * pause, TWIN_LOOK_MAX_MS);
          break;
        default:
          return decision;
      }
    }
  }

  confirm({ accountId, requestId }: Claim, ack: string): Promise<void> {
    return this.store.confirm(accountId, requestId, ack, this.now() + KEY_LIFE_MS);
  }

  /** A claim that took another's place is left to its lease: the first one's messages may be on the log. */
  async release({ accountId, requestId, tookOver }: Claim): Promise<void> {
    if (!tookOver) await this.store.release(accountId, requestId);
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
      this.logger.warn({ err: error }, 'expired idempotency keys could not be removed; they are tried again');
    }
  }
}
