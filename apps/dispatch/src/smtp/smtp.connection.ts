import type { NextHop } from '@lettermill/config';
import type { Clock } from '@lettermill/runtime';
import type { Peer } from '../lifecycle/delivery';
import { Exchange, type SmtpJob } from './smtp.exchange';
import type { Offer } from './smtp.offer';
import { openSession } from './smtp.opening';
import type { SmtpPoolOptions, SmtpTimeouts } from './smtp.options';
import { wasAccepted, type Transaction } from './smtp.transaction';
import type { SmtpWire } from './smtp.wire';

const COMMAND_TIMEOUT_MS = 5_000;
/** After the goodbye was answered. */
const CLOSING_TIMEOUT_MS = 1_000;

/** A mail on its way behind another one; `transaction` resolves to undefined if the connection ends with that one. */
export interface Ride {
  connection: SmtpConnection;
  transaction: Promise<Transaction | undefined>;
}

export interface Rider {
  job: SmtpJob;
  taken(ride: Ride): void;
}

/** Called when a mail may ride. */
export type NextRider = () => Rider | undefined;

/** One connection to the next hop, open and ready for transactions, one at a time. */
export class SmtpConnection {
  /** Number of transactions begun. */
  transactionCount = 0;
  /** Number of mails that the hop accepted, and when it accepted the last one. */
  mailsTaken = 0;
  tookLastAt = -Infinity;
  /** Whether it was opened just now: it carried no mail yet and was not idle. */
  fresh = true;
  private readonly exchanges = new Set<Exchange>();
  private ended = false;

  private constructor(
    private readonly wire: SmtpWire,
    readonly offer: Offer,
    readonly peer: Peer | undefined,
    private readonly timing: { timeouts: SmtpTimeouts; now: Clock },
    /** When we began to open it, and when it was open. */
    readonly begunAt: number,
    readonly openedAt: number,
  ) {}

  /** Opens a connection (see `openSession`). Rejects with `HopFault`. */
  static async open(hop: NextHop, options: SmtpPoolOptions, now: Clock, signal?: AbortSignal): Promise<SmtpConnection> {
    const begunAt = now();
    const { wire, offer, peer } = await openSession(hop, options, signal);
    return new SmtpConnection(wire, offer, peer, { timeouts: options.timeouts, now }, begunAt, now());
  }

  get usable(): boolean {
    return !this.ended && !this.wire.dead;
  }

  /** `listener` is called when the connection is gone, whoever ended it. */
  onEnd(listener: () => void): void {
    this.wire.onEnd(listener);
  }

  /**
   * Sends one mail, and behind it the mail that `next` returns when the content is sent. Afterwards the connection is ready for another
   * mail, or no longer `usable`, or the next mail is on its way (`followed`).
   */
  async transact(job: SmtpJob, next: NextRider = () => undefined): Promise<Transaction> {
    const { fresh } = this;
    this.fresh = false;
    return (await this.run(job, next, (exchange) => exchange.begin(fresh)))!;
  }

  /** Ends the connection at once; a transaction in progress is given up, or counts as broken if its mail was handed over. */
  close(): void {
    this.ended = true;
    for (const exchange of this.exchanges) exchange.abort();
    this.wire.breakOff('we closed the connection');
  }

  /** Says goodbye, and lets the hop close the connection: it may count it as open until then. */
  quit(): void {
    if (!this.usable) return this.close();
    this.ended = true;
    const closeAfter = (ms: number) => setTimeout(() => this.close(), ms).unref();
    let timer = closeAfter(COMMAND_TIMEOUT_MS);
    this.onEnd(() => clearTimeout(timer));
    const answered = () => {
      clearTimeout(timer);
      timer = closeAfter(CLOSING_TIMEOUT_MS);
    };
    this.wire.ask('QUIT').then(answered, () => this.close());
  }

  private async run(
    job: SmtpJob,
    next: NextRider,
    start: (exchange: Exchange) => void,
  ): Promise<Transaction | undefined> {
    this.transactionCount += 1;
    let exchange!: Exchange;
    const abort = () => exchange.abort();
    const transaction = await new Promise<Transaction | undefined>((resolve) => {
      exchange = new Exchange(this.wire, this.offer, job, this.timing, resolve, () => this.nextExchange(next));
      this.exchanges.add(exchange);
      start(exchange);
      job.withdrawal.listen(abort);
    });
    job.withdrawal.unlisten(abort);
    this.exchanges.delete(exchange);
    if (transaction && wasAccepted(transaction)) this.countMail();
    const { afterwards } = exchange;
    if (afterwards === 'close' || (afterwards === 'reset' && !(await this.reset()))) this.close();
    return transaction;
  }

  private countMail(): void {
    this.mailsTaken += 1;
    this.tookLastAt = this.timing.now();
  }

  private nextExchange(next: NextRider): Exchange | undefined {
    const rider = next();
    if (!rider) return undefined;
    let following: Exchange | undefined;
    const transaction = this.run(rider.job, next, (exchange) => (following = exchange));
    rider.taken({ connection: this, transaction });
    return following;
  }

  /** Ends a transaction that was refused before its content; resolves to false if the connection cannot be used any more. */
  private async reset(): Promise<boolean> {
    const timer = setTimeout(() => this.close(), COMMAND_TIMEOUT_MS);
    const answer = await this.wire.ask('RSET').catch(() => '');
    clearTimeout(timer);
    return answer.startsWith('2');
  }
}
