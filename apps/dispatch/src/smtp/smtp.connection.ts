import type { Clock, NextHop } from '@lettermill/runtime';
import type { Peer } from '../deliveries/delivery';
import type { OutgoingContent } from './smtp.content';
import type { WireEnvelope } from './smtp.envelope';
import { Exchange } from './smtp.exchange';
import type { Offer } from './smtp.offer';
import { openSession } from './smtp.opening';
import type { SmtpPoolOptions, SmtpTimeouts } from './smtp.options';
import type { Transaction } from './smtp.transaction';
import type { SmtpWire } from './smtp.wire';

const RESET_MS = 5_000;

/** One connection to the next hop, open and ready for transactions, one at a time. */
export class SmtpConnection {
  /** Transactions begun. */
  used = 0;
  private exchange: Exchange | undefined;
  private over = false;

  private constructor(
    private readonly wire: SmtpWire,
    readonly offer: Offer,
    readonly peer: Peer | undefined,
    private readonly timing: { timeouts: SmtpTimeouts; now: Clock },
    readonly openedAt: number,
  ) {}

  /** Opens one (see `openSession`). Rejects with `HopFault`. */
  static async open(hop: NextHop, options: SmtpPoolOptions, now: Clock, signal?: AbortSignal): Promise<SmtpConnection> {
    const { wire, offer, peer } = await openSession(hop, options, signal);
    return new SmtpConnection(wire, offer, peer, { timeouts: options.timeouts, now }, now());
  }

  get usable(): boolean {
    return !this.over && !this.wire.dead;
  }

  /** Called when the connection is gone, whoever ended it. */
  onEnd(listener: () => void): void {
    this.wire.onEnd(listener);
  }

  /** Sends one mail. Afterwards the connection is ready for the next, or no longer `usable`. */
  async transact(envelope: WireEnvelope, content: OutgoingContent, signal?: AbortSignal): Promise<Transaction> {
    this.used += 1;
    const abort = () => this.exchange?.abort();
    const transaction = await new Promise<Transaction>((resolve) => {
      this.exchange = new Exchange(this.wire, this.offer, envelope, content, this.timing, resolve);
      this.exchange.begin();
      signal?.addEventListener('abort', abort, { once: true });
      if (signal?.aborted) abort();
    });
    signal?.removeEventListener('abort', abort);
    const { afterwards } = this.exchange!;
    this.exchange = undefined;
    if (afterwards === 'close' || (afterwards === 'reset' && !(await this.reset()))) this.close();
    return transaction;
  }

  /** Ends the connection at once; a transaction under way is given up, or broken where its mail was handed over. */
  close(): void {
    this.over = true;
    this.exchange?.abort();
    this.wire.breakOff('we closed the connection');
  }

  /** Says goodbye. */
  quit(): void {
    if (!this.usable) return this.close();
    this.over = true;
    const timer = setTimeout(() => this.close(), RESET_MS);
    timer.unref();
    this.wire
      .ask('QUIT')
      .catch(() => undefined)
      .finally(() => {
        clearTimeout(timer);
        this.close();
      });
  }

  /** Ends a transaction that was refused before its content; false where the connection is no good any more. */
  private async reset(): Promise<boolean> {
    const timer = setTimeout(() => this.close(), RESET_MS);
    const answer = await this.wire.ask('RSET').catch(() => '');
    clearTimeout(timer);
    return answer.startsWith('2');
  }
}
