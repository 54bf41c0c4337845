import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { pause, whileAway } from '@lettermill/concurrency';
import { CLOCK, INSTANCE, LOGGER, type Clock, type Logger } from '@lettermill/runtime';
import { decideClaim, type Decision } from './claims.decide';
import { Holding, LEASE_MS } from './claims.holding';
import { CLAIM_STORE, type Claim, type ClaimStore, type HeldName, type TakenId } from './claims.store';

/** Twins wait this long for the first one's outcome (docs/send.md 13). */
const TWIN_WAIT_MS = 2_000;
/** They look again after this long at first, then ever less often: fifty twins must not keep the first one from its work. */
const TWIN_LOOK_MS = 20;
const TWIN_LOOK_MAX_MS = 250;
const KEY_LIFE_MS = 48 * 3_600_000;
const SWEEP_MS = 600_000;

/** How a claim ended: ours (perhaps with the ids of one that died), or answered by what was there. */
export type Claimed =
  | { granted: Holding }
  | Extract<Decision, { do: 'replay' | 'refuse-key' | 'refuse-ids' }>
  | { do: 'wait'; retryAfterS: number };

type Wanted = Omit<Claim, 'owner' | 'leaseUntil' | 'keyExpiresAt'>;

/** Names of requests: taken before the append, confirmed after it, given back when a request fails. */
@Injectable()
export class Claims implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private readonly ending = new AbortController();

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
    this.ending.abort();
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
          return { granted: new Holding(claim, this.store, this.now) };
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

  /**
   * The messages are on the log, and the names taken for good. Where the store is away they are as soon as it is back, and nobody waits for
   * that; a process that ends before leaves them to their lease.
   */
  async confirm(holding: Holding, ack: string): Promise<void> {
    const { accountId, requestId } = await holding.end();
    const confirming = () => this.store.confirm(accountId, requestId, ack, this.now() + KEY_LIFE_MS);
    try {
      await confirming();
    } catch {
      void whileAway(confirming, this.ending.signal).catch((error: unknown) =>
        this.logger.warn({ err: error }, 'the names of an accepted request could not be confirmed'),
      );
    }
  }

  /** Nothing of the request is on the log. */
  async release(holding: Holding): Promise<void> {
    await this.giveBack(await holding.end());
  }

  /** The request ended, and its messages may be on the log: a retry goes on at once, with the ids first decided. */
  async abandon(holding: Holding): Promise<void> {
    await this.store.abandon(await holding.end(), this.now());
  }

  /** Of one that took another's place, the first one's messages may be on the log. */
  private giveBack(claim: Claim): Promise<void> {
    return claim.tookOver ? this.store.abandon(claim, this.now()) : this.store.release(claim);
  }

  /** As long again as the first one has been at it, or since its lease was renewed; when that is over, whoever comes next goes on in its place. */
  private retryAfterS(leaseUntil: number): number {
    const left = leaseUntil - this.now();
    return Math.max(1, Math.ceil(Math.min(left, LEASE_MS - left) / 1000));
  }

  /** After a fault of the store some of the names may be taken: they are given back, if it can be told. */
  private async claim(claim: Claim): Promise<HeldName[]> {
    try {
      return await this.store.claim(claim);
    } catch (error) {
      await this.giveBack(claim).catch(() => undefined);
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
      this.logger.warn({ err: error }, 'expired idempotency keys could not be removed; trying again');
    }
  }
}
