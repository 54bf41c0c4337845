import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, type Clock } from '@lettermill/runtime';
import { PRIORITIES, type ClaimedDelivery, type PriorityRank } from '../deliveries/deliveries.store';
import { SmtpPool } from '../smtp/smtp.pool';
import { Attempts } from './attempts';
import { DueQueue, type Admitted } from './due.queue';
import { Leases } from './leases';
import { Pace } from './pace';
import { complain, within } from './patience';
import { claimsTried } from './sending.metrics';
import { Turns } from './turns';

/** Connections beside the others that messages of high priority may use: they wait for no bulk. */
const FOR_HIGH = 2;
/** On the way out, the answers to mails that were handed over are waited for this long. */
const ANSWER_MS = 8_000;
const RECORD_MS = 1_000;

/** What this process has claimed, from being admitted until nothing of it is left to do; and how much more the next hop has room for. */
@Injectable()
export class UnderWay {
  private readonly logger = new Logger('dispatch');
  private readonly running = new Set<Promise<void>>();
  /** Claims whose outcome is not yet on its way to the store. */
  private readonly open = new Set<ClaimedDelivery>();
  private readonly pace = new Pace();
  private readonly turns = new Turns((rank) => this.most(rank));
  /** Admitted, and about to be claimed. */
  private beginning = 0;
  private leaving = false;
  private freed: () => void = () => undefined;

  constructor(
    private readonly leases: Leases,
    private readonly attempts: Attempts,
    private readonly pool: SmtpPool,
    private readonly queue: DueQueue,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

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

  /** How many more may be claimed. Negative while messages of high priority are in more places than all have together. */
  room(): number {
    const capacity = this.capacity();
    if (capacity === 0) return 0;
    const beside = this.beside(capacity);
    this.pool.widen(beside, FOR_HIGH);
    const ahead = capacity > 1 ? this.pace.ahead() * capacity : 0;
    return capacity + beside + ahead - this.open.size - this.beginning;
  }

  /** Places beside `room()` that only messages of high priority may take. */
  extra(): number {
    return this.capacity() <= 1 ? 0 : FOR_HIGH;
  }

  /** Begins those of the admitted that `claiming` answers, which nobody else took; answers how many. */
  async begin(admitted: Admitted[], claiming: () => Promise<ClaimedDelivery[]>): Promise<number> {
    const byId = new Map(admitted.map((one) => [one.messageId, one]));
    this.beginning += admitted.length;
    try {
      const claimingSince = this.now();
      const claimed = await claiming();
      this.pace.claimed(this.now() - claimingSince);
      claimsTried(claimed.length, admitted.length - claimed.length);
      for (const one of claimed) {
        this.lead(one, byId.get(one.messageId)!);
        byId.delete(one.messageId);
      }
      return claimed.length;
    } finally {
      this.beginning -= admitted.length;
      for (const one of byId.values()) this.queue.leave(one, false);
    }
  }

  async close(): Promise<void> {
    this.leaving = true;
    // Before the final dot nothing can have been delivered: those go back to the queue, and count as no attempt.
    this.leases.abortAll();
    await within(ANSWER_MS, this.quiet());
    this.pool.close();
    await within(RECORD_MS, this.quiet());
  }

  private async quiet(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  private capacity(): number {
    return this.leaving ? 0 : this.pool.capacity();
  }

  /** As many places more as attempts are stuck: a slow domain takes no place from the others. */
  private beside(capacity: number): number {
    return capacity > 1 ? Math.min(this.queue.stuck(), capacity) : 0;
  }

  /** How many of that priority may speak to the hop at once. */
  private most(rank: PriorityRank): number {
    const capacity = this.capacity();
    if (capacity <= 1) return capacity;
    // Behind each mail that goes another may ride.
    const riding = this.pace.quick() ? capacity : 0;
    return capacity + this.beside(capacity) + riding + (rank === PRIORITIES.high ? FOR_HIGH : 0);
  }

  /** Its place is free, once, as soon as its outcome is on the way to the store; not only when it is recorded. */
  private lead(claimed: ClaimedDelivery, admitted: Admitted): void {
    this.open.add(claimed);
    // When it is due again. Where its end tells nothing (a defect) that is not known: it is looked for at once.
    let again: number | null = 0;
    const leave = (dueAt: number | null) => {
      if (!this.open.delete(claimed)) return;
      again = dueAt;
      this.queue.leave(admitted, !this.leaving);
      this.freed();
    };
    const work = this.leases
      .hold(claimed, (signal) => this.inTurn(claimed, admitted, signal, leave))
      .catch((error: unknown) => complain(this.logger, error))
      .finally(() => {
        this.running.delete(work);
        leave(again);
        if (again !== null) this.queue.putOff(again);
        this.freed();
      });
    this.running.add(work);
  }

  private async inTurn(
    claimed: ClaimedDelivery,
    { priority }: Admitted,
    signal: AbortSignal,
    leave: (dueAt: number | null) => void,
  ): Promise<void> {
    // Claimed while we were told to leave: given back by the attempt itself.
    const turn = this.leaving ? 'back' : await this.turns.take(priority, signal);
    if (turn === 'back') return this.attempts.giveBack(claimed, leave);
    const speakingSince = this.now();
    let speaking = true;
    const spoken = () => {
      if (!speaking) return;
      speaking = false;
      this.pace.spoke(this.now() - speakingSince);
      this.turns.end();
    };
    await this.attempts.run(claimed, signal, { spoken, submitted: leave }).finally(spoken);
  }
}
