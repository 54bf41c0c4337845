import { Inject, Injectable, Logger } from '@nestjs/common';
import { OncePer, waitAtMost } from '@lettermill/concurrency';
import { CLOCK, type Clock } from '@lettermill/runtime';
import type { ClaimedDelivery } from '../deliveries/deliveries.store';
import { EXTRA_FOR_URGENT } from '../hop/hop.limits';
import { SmtpPool } from '../hop/hop.pool';
import type { Withdrawal } from '../smtp/smtp.withdrawal';
import { Attempts } from './attempts';
import { logFault } from './log.fault';
import type { Ending } from '../due/domain.shares';
import { DueQueue, type Admitted } from '../due/due.queue';
import { ClaimProgress } from './claim.progress';
import { Leases } from './leases';
import { Pace } from './pace';
import { Room } from '../due/room';
import { countClaims } from './sending.metrics';
import { Turns } from './turns';

/** At shutdown, the replies to mails that were handed over are awaited for this long. */
const REPLY_TIMEOUT_MS = 8_000;
const RECORD_TIMEOUT_MS = 1_000;
/** While the hop throttles, or can take nothing, it is logged this often. */
const LEARNED_RATE_LOG_INTERVAL_MS = 10 * 60_000;

/**
 * The deliveries that this process has claimed, from admission until nothing is left to do, and how many more the next hop has room for.
 */
@Injectable()
export class ActiveDeliveries {
  private readonly logger = new Logger('dispatch');
  private readonly running = new Set<Promise<void>>();
  /** Calls of `begin` whose claims are on their way to the store and back. */
  private readonly claimsInProgress = new Set<Promise<unknown>>();
  private readonly pace = new Pace();
  private readonly learnedRateLine: OncePer;
  /** If the hop is quick, another mail may ride behind each one. */
  private readonly turns = new Turns((rank) =>
    this.roomWith(this.pace.isQuick(this.pool.allowsRides) ? 1 : 0).for(rank),
  );
  /** Places of admitted deliveries: taken until the claim fails or its outcome is on its way to the store. */
  private taken = 0;
  private leaving = false;
  private freed: () => void = () => undefined;

  constructor(
    private readonly leases: Leases,
    private readonly attempts: Attempts,
    private readonly pool: SmtpPool,
    private readonly queue: DueQueue,
    @Inject(CLOCK) private readonly now: Clock,
  ) {
    this.learnedRateLine = new OncePer(LEARNED_RATE_LOG_INTERVAL_MS, now);
  }

  get size(): number {
    return this.running.size;
  }

  /** `freed` is called when more may begin than could before. */
  listen(freed: () => void): void {
    this.freed = freed;
    this.pool.onRoom(() => {
      this.turns.proceed();
      freed();
    });
  }

  /** How many more may be claimed. What is claimed already goes first: attempts that got stuck since make room for it. */
  room(): Room {
    const capacity = this.capacity();
    if (capacity > 0) {
      this.queue.shareConnections(capacity, this.pool.mostConnections());
      this.pool.allowExtraConnections(this.placesForStuck(capacity));
      this.turns.proceed();
    }
    return this.roomWith(this.pace.claimsAhead(this.pool.allowsRides), this.taken);
  }

  /** Begins the admitted deliveries that `claiming` resolves to; resolves to the others, which somebody else took. */
  async begin(admitted: Admitted[], claiming: () => Promise<ClaimedDelivery[]>): Promise<Admitted[]> {
    const begun = this.beginClaimed(admitted, claiming);
    this.claimsInProgress.add(begun);
    try {
      return await begun;
    } finally {
      this.claimsInProgress.delete(begun);
    }
  }

  async close(): Promise<void> {
    this.leaving = true;
    // Before the final dot nothing can have been delivered: these go back to the queue and do not count as attempts.
    this.leases.withdrawAll();
    await waitAtMost(REPLY_TIMEOUT_MS, this.untilIdle());
    this.pool.close();
    await waitAtMost(RECORD_TIMEOUT_MS, this.untilIdle());
  }

  private async beginClaimed(admitted: Admitted[], claiming: () => Promise<ClaimedDelivery[]>): Promise<Admitted[]> {
    const unclaimed = new Map(admitted.map((one) => [one.messageId, one]));
    this.taken += unclaimed.size;
    try {
      const since = this.now();
      const claimed = await claiming();
      this.pace.noteClaim(this.now() - since);
      countClaims(claimed.length, admitted.length - claimed.length);
      for (const one of claimed) {
        this.runClaim(one, unclaimed.get(one.messageId)!);
        unclaimed.delete(one.messageId);
      }
      return [...unclaimed.values()];
    } finally {
      for (const one of unclaimed.values()) this.freePlace(one, 'cut short');
    }
  }

  private async untilIdle(): Promise<void> {
    while (this.running.size + this.claimsInProgress.size > 0)
      await Promise.allSettled([...this.running, ...this.claimsInProgress]);
  }

  private capacity(): number {
    return this.leaving ? 0 : this.pool.capacity();
  }

  /** Additional places, one for each stuck attempt, so that a slow domain takes no place from the others, as far as the hop bears them. */
  private placesForStuck(capacity: number): number {
    const additional = Math.max(0, this.pool.mostConnections() - capacity);
    return this.pool.isConnected ? Math.min(this.queue.stuckCount(), additional) : 0;
  }

  /** Room for all that may speak to the hop at once and `behindEach` more for each of them, less what is `taken`. */
  private roomWith(behindEach: number, taken = 0): Room {
    const capacity = this.capacity();
    // A single mail finds out whether the hop is there.
    if (capacity === 0 || !this.pool.isConnected) return new Room(capacity - taken);
    return new Room(capacity + this.placesForStuck(capacity) + behindEach * capacity - taken, EXTRA_FOR_URGENT);
  }

  /** Leads a claim until nothing is left to do. */
  private runClaim(claimed: ClaimedDelivery, admitted: Admitted): void {
    const progress = new ClaimProgress(this.now, {
      turn: (ms) => {
        this.pace.noteMail(ms);
        this.turns.end();
      },
      place: (hop) => {
        this.freePlace(admitted, this.leaving ? 'cut short' : (hop ?? 'by itself'));
        if (hop) this.logLearnedRate();
        this.freed();
      },
    });
    const work = this.leases
      .hold(claimed, (withdrawal) => this.inTurn(claimed, admitted, progress, withdrawal))
      .catch((error: unknown) => logFault(this.logger, error))
      .finally(() => {
        this.running.delete(work);
        const dueAt = progress.finish();
        if (dueAt !== null) this.queue.putOff(admitted, dueAt);
        this.freed();
      });
    this.running.add(work);
  }

  private async inTurn(
    claimed: ClaimedDelivery,
    { priority, dueAt }: Admitted,
    progress: ClaimProgress,
    withdrawal: Withdrawal,
  ): Promise<void> {
    // Claimed during shutdown: given back without an attempt.
    const turn = this.leaving ? 'back' : await this.turns.take(priority, withdrawal);
    if (turn === 'back') return this.attempts.giveBack(claimed, dueAt, progress);
    progress.turnBegan();
    await this.attempts.run(claimed, dueAt, withdrawal, progress);
  }

  private logLearnedRate(): void {
    const rate = this.queue.learnedRate();
    if (rate === undefined || !this.learnedRateLine.passes('')) return;
    const perSecond = rate.toPrecision(2);
    this.logger.warn(`the next hop puts mail off: for now it gets ${perSecond} attempts a second, urgent mail first`);
  }

  private freePlace(admitted: Admitted, ending: Ending): void {
    this.taken -= 1;
    this.queue.leave(admitted, ending);
  }
}
