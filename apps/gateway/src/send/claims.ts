import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DAY_MS, pause, retryWhileUnavailable } from '@lettermill/concurrency';
import { CLOCK, LOGGER, type Clock, type Logger } from '@lettermill/runtime';
import { decideClaim, type Decision } from './claims.decide';
import { ClaimLease, LEASE_MS } from './claims.lease';
import { OverlongLeases } from './claims.overlong';
import { CLAIM_STORE, type Claim, type ClaimStore, type HeldName, type TakenId } from './claims.store';

/** How long a twin (another request with the same name) waits for the outcome of the first one (docs/send.md 13). */
const MAX_TWIN_WAIT_MS = 2_000;
/** The interval at which a twin looks again; it doubles each time, so that fifty twins do not slow down the first request. */
const MIN_TWIN_POLL_MS = 20;
const MAX_TWIN_POLL_MS = 250;
const KEY_LIFETIME_MS = 2 * DAY_MS;
const SWEEP_INTERVAL_MS = 600_000;

/** Outcome of a claim: granted (perhaps with the ids of a request that died), or decided by what another request did. */
export type ClaimOutcome =
  | { granted: ClaimLease }
  | Extract<Decision, { do: 'replay' | 'refuse-key' | 'refuse-ids' | 'refuse-unanswered' }>
  | { do: 'wait'; retryAfterS: number };

type ClaimRequest = Omit<Claim, 'leaseUntil' | 'keyExpiresAt'>;

/** The names of requests: claimed before the append, confirmed after it, released if the request fails. */
@Injectable()
export class Claims implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private readonly shutdown = new AbortController();
  private readonly overlong = new OverlongLeases();

  constructor(
    @Inject(CLAIM_STORE) private readonly store: ClaimStore,
    @Inject(CLOCK) private readonly now: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sweep(), SWEEP_INTERVAL_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.shutdown.abort();
  }

  async take(wanted: ClaimRequest): Promise<ClaimOutcome> {
    const now = this.now();
    let pauseMs = MIN_TWIN_POLL_MS;
    let claim: Claim = { ...wanted, leaseUntil: now + LEASE_MS, keyExpiresAt: now + KEY_LIFETIME_MS };
    for (;;) {
      const held = await this.orGiveBack(claim, this.store.claim(claim));
      const at = this.now();
      const decision = decideClaim(claim, held, at);
      switch (decision.do) {
        case 'proceed':
          return { granted: new ClaimLease(claim, this.store, this.now) };
        case 'take-over':
          claim = await this.takeOver(claim, decision);
          break;
        case 'wait':
          if (await this.endOverlong(claim.accountId, held, at)) break;
          if (this.hasWaited(now))
            return this.leave(claim, { ...decision, retryAfterS: this.retryAfterS(decision.leaseUntil) });
          await pause(pauseMs);
          pauseMs = Math.min(2 * pauseMs, MAX_TWIN_POLL_MS);
          break;
        default:
          return this.leave(claim, decision);
      }
    }
  }

  /** Returns those of the external ids that are taken for ever. */
  taken(accountId: string, externalIds: string[]): Promise<TakenId[]> {
    return this.store.taken(accountId, externalIds);
  }

  /** Ids of the messages of these requests, as far as names of theirs are held. */
  messageIdsOf(accountId: string, requestIds: string[]): Promise<string[]> {
    return this.store.messageIdsOf(accountId, requestIds);
  }

  /** The messages are on the log: the names are taken for good. */
  async confirm(lease: ClaimLease, ack: string): Promise<void> {
    const { accountId, requestId } = await lease.end();
    const confirmNames = () => this.store.confirm(accountId, requestId, ack, this.now() + KEY_LIFETIME_MS);
    await this.nowOrLater(confirmNames, 'the names of an accepted request could not be confirmed');
  }

  /** Nothing of the request is on the log: its names are as they were before it. */
  async release(lease: ClaimLease): Promise<void> {
    const claim = await lease.end();
    await this.nowOrLater(() => this.store.release(claim), 'the names of a refused request could not be freed');
  }

  /** The request failed, and its messages may be on the log: a retry can continue at once, with the ids first chosen. */
  async abandon(lease: ClaimLease): Promise<void> {
    await this.store.abandon(await lease.end());
  }

  /**
   * If the store is unavailable, the change is repeated in the background until it is back; if the process ends before, the names stay
   * claimed until their lease ends.
   */
  private async nowOrLater(change: () => Promise<void>, failure: string): Promise<void> {
    try {
      await change();
    } catch {
      void retryWhileUnavailable(change, this.shutdown.signal).catch((error: unknown) =>
        this.logger.warn({ err: error }, failure),
      );
    }
  }

  /** If the clock was set back, how much time has passed is not known. */
  private hasWaited(since: number): boolean {
    const waited = this.now() - since;
    return waited < 0 || waited >= MAX_TWIN_WAIT_MS;
  }

  /**
   * As long as the first request has taken since its lease was last renewed, but no longer than the lease lasts: after that, the next
   * request takes over.
   */
  private retryAfterS(leaseUntil: number): number {
    const left = leaseUntil - this.now();
    return Math.max(1, Math.ceil(Math.min(left, LEASE_MS - left) / 1000));
  }

  /** After an error of the store some of the names may be the claim's: they are given back if possible. */
  private async orGiveBack<T>(claim: Claim, change: Promise<T>): Promise<T> {
    try {
      return await change;
    } catch (error) {
      await this.store.release(claim).catch(() => undefined);
      throw error;
    }
  }

  /** The names that it took over are left to the next request at once; a claim that took over none holds none. */
  private async leave(claim: Claim, outcome: ClaimOutcome): Promise<ClaimOutcome> {
    if (claim.tookOver) await this.store.release(claim).catch(() => undefined);
    return outcome;
  }

  /** Ends the leases that nobody holds any more although they have not ended; resolves to whether there were any. */
  private async endOverlong(accountId: string, held: HeldName[], at: number): Promise<boolean> {
    const left = this.overlong.left(accountId, held, at);
    // A lease that was renewed meanwhile is another one, and stays.
    for (const lease of left) await this.store.abandon(lease);
    return left.length > 0;
  }

  /** Several twins may try to take over: one that fails keeps its own claim, and waits. */
  private async takeOver(own: Claim, { claim, held }: Extract<Decision, { do: 'take-over' }>): Promise<Claim> {
    const inPlace: Claim = { ...claim, tookOver: [...(own.tookOver ?? []), ...held] };
    const taken = await this.orGiveBack(inPlace, this.store.takeOver(claim, held, this.now()));
    return taken ? inPlace : own;
  }

  private async sweep(): Promise<void> {
    try {
      await this.store.sweep(this.now());
    } catch (error) {
      this.logger.warn({ err: error }, 'expired idempotency keys could not be removed; trying again');
    }
  }
}
