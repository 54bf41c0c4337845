import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { NodemailerError } from 'nodemailer/lib/errors';
import type { NextHop } from '@lettermill/runtime';
import { ContentStream } from './smtp.content';
import type { WireEnvelope } from './smtp.envelope';
import { hopFault, HopFault } from './smtp.fault';
import { readOffer, type Offer } from './smtp.offer';
import type { SmtpPoolOptions, SmtpTimeouts } from './smtp.options';
import type { Stage, Transaction } from './smtp.transaction';

/** What goes out: see `MailBody`. */
export interface OutgoingContent {
  size: number;
  eightBit: boolean;
  chunks(): Iterator<Buffer>;
}

/** As the library fills it in while the transaction goes on. */
interface TrackedEnvelope {
  rejected?: string[];
  rejectedErrors?: (NodemailerError & { recipient?: string })[];
}

const RESET_MS = 5_000;

function libraryOptions(hop: NextHop, { timeouts, tls }: SmtpPoolOptions, plain: boolean): object {
  return {
    host: hop.host,
    port: hop.port,
    secure: hop.implicitTls,
    requireTLS: hop.tls === 'require' && !hop.implicitTls,
    opportunisticTLS: hop.tls === 'opportunistic',
    ignoreTLS: hop.tls === 'off' || plain,
    tls: { ...tls, rejectUnauthorized: hop.tls === 'require' },
    // The stages are timed here; the library's own clocks only have to stay out of the way.
    connectionTimeout: timeouts.connect + timeouts.greeting,
    greetingTimeout: timeouts.greeting,
    socketTimeout: Math.max(...Object.values(timeouts)) + 60_000,
  };
}

/** One connection to the next hop, open and ready for transactions, one at a time. */
export class SmtpConnection {
  /** Transactions begun. */
  used = 0;
  private current: TransactionRun | undefined;
  private over = false;

  private constructor(
    private readonly connection: SMTPConnection,
    readonly offer: Offer,
    private readonly timeouts: SmtpTimeouts,
  ) {}

  /**
   * Connects, greets, negotiates TLS as the hop's policy says and logs in. Rejects with `HopFault`. Opportunistic TLS that can't be
   * negotiated is left out, as it would be where none is offered.
   */
  static async open(hop: NextHop, options: SmtpPoolOptions, signal?: AbortSignal): Promise<SmtpConnection> {
    try {
      return await SmtpConnection.connect(hop, options, false, signal);
    } catch (fault) {
      const optional = hop.tls === 'opportunistic' && !hop.implicitTls;
      if (!optional || !(fault instanceof HopFault) || fault.reason !== 'tls_failed') throw fault;
      return SmtpConnection.connect(hop, options, true, signal);
    }
  }

  private static connect(
    hop: NextHop,
    options: SmtpPoolOptions,
    plain: boolean,
    signal?: AbortSignal,
  ): Promise<SmtpConnection> {
    const library = new SMTPConnection(libraryOptions(hop, options, plain));
    const { timeouts } = options;
    return new Promise((resolve, reject) => {
      const timers = [
        setTimeout(() => library.stage === 'init' && fail(timeout('connecting')), timeouts.connect),
        setTimeout(() => fail(timeout('the greeting')), timeouts.connect + timeouts.greeting),
      ];
      const abort = () => fail(new Error('aborted'));
      const closed = () => fail(new Error('closed'));
      const settled = () => {
        timers.forEach(clearTimeout);
        signal?.removeEventListener('abort', abort);
        library.off('error', fail).off('end', closed);
      };
      const fail = (error: NodemailerError) => {
        settled();
        // Read before the close, which forgets it.
        const fault = hopFault(error, library.upgrading === true);
        library.close();
        reject(fault);
      };
      const ready = (offer: Offer) => {
        settled();
        resolve(new SmtpConnection(library, offer, timeouts));
      };
      signal?.addEventListener('abort', abort, { once: true });
      // Later errors reach whoever sends; without a listener they would end the process.
      library.on('error', () => undefined);
      library.on('error', fail).on('end', closed);
      library.connect((error) => {
        if (error) return fail(error);
        const offer = readOffer(library.lastServerResponse || '');
        if (!hop.auth) return ready(offer);
        library.login({ user: hop.auth.user, pass: hop.auth.pass }, (refused) =>
          refused ? fail(refused) : ready(offer),
        );
      });
    });
  }

  get usable(): boolean {
    return !this.over && !this.connection.destroyed;
  }

  /** Called when the connection is gone, whoever ended it. */
  onEnd(listener: () => void): void {
    this.connection.once('end', listener);
  }

  /** Sends one mail. Afterwards the connection is ready for the next, or no longer `usable`. */
  async transact(envelope: WireEnvelope, content: OutgoingContent, signal?: AbortSignal): Promise<Transaction> {
    this.used += 1;
    this.current = new TransactionRun(this.connection, envelope, content, this.timeouts);
    const abort = () => this.current?.abort();
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    const transaction = await this.current.done;
    signal?.removeEventListener('abort', abort);
    this.current = undefined;
    await this.ready(transaction);
    return transaction;
  }

  /** Ends the connection at once; a transaction under way is given up, or broken where its mail was handed over. */
  close(): void {
    this.over = true;
    this.current?.abort();
    this.current?.broken('we closed the connection');
    this.connection.close();
  }

  /** Says goodbye. */
  quit(): void {
    if (!this.usable) return this.close();
    this.over = true;
    this.connection.quit();
    setTimeout(() => this.connection.close(), RESET_MS).unref();
  }

  private async ready({ stage, response }: Transaction): Promise<void> {
    if (response === undefined || response.startsWith('421') || stage === 'content') return this.close();
    if (stage === 'envelope' && !(await this.reset())) this.close();
  }

  /** Ends a transaction that was refused before its content. */
  private reset(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => answer(false), RESET_MS);
      const ended = () => answer(false);
      const answer = (fine: boolean) => {
        clearTimeout(timer);
        this.connection.off('end', ended);
        resolve(fine);
      };
      this.connection.on('end', ended);
      this.connection.reset((error) => answer(!error));
    });
  }
}

function timeout(what: string): NodemailerError {
  return Object.assign(new Error(`${what} took too long`), { code: 'ETIMEDOUT' });
}

/** One transaction, from MAIL to the answer to the final dot. */
class TransactionRun {
  readonly done: Promise<Transaction>;
  private settle!: (transaction: Transaction) => void;
  private stage: Stage = 'envelope';
  private timer: NodeJS.Timeout | undefined;
  private readonly tracked: TrackedEnvelope & { from: string; to: string[]; size: number; use8BitMime: boolean };

  constructor(
    private readonly connection: SMTPConnection,
    private readonly envelope: WireEnvelope,
    content: OutgoingContent,
    private readonly timeouts: SmtpTimeouts,
  ) {
    this.done = new Promise((resolve) => (this.settle = resolve));
    const { from, to } = envelope;
    const use8BitMime = content.eightBit || envelope.needsUtf8;
    this.tracked = { from, to: [...to], size: content.size, use8BitMime };
    this.arm(timeouts.command);
    const stream = new ContentStream(content.chunks(), {
      begin: () => this.begin(),
      block: () => this.arm(this.timeouts.block),
      handedOver: () => this.handedOver(),
    });
    connection.send(this.tracked, stream, (error, info) => {
      if (error) this.failed(error);
      else this.end({ response: info?.response ?? '' });
    });
  }

  /** Ends it without a word; only before the final dot, where nothing can have been delivered. */
  abort(): void {
    if (this.stage === 'handed_over') return;
    this.end({ aborted: true });
    this.connection.close();
  }

  broken(broke: string): void {
    this.end({ broke });
  }

  private begin(): boolean {
    const refusal = this.refused().find(({ recipient }) => recipient === this.envelope.main);
    this.stage = 'content';
    if (!refusal?.response.startsWith('4')) return true;
    // The copies are not sent ahead of a message that is tried again.
    this.end({ response: refusal.response });
    this.connection.close();
    return false;
  }

  private handedOver(): void {
    this.stage = 'handed_over';
    this.arm(this.timeouts.dot);
  }

  private failed(error: NodemailerError): void {
    // Where the sender was refused, the recipients were refused for want of one.
    if (error.command === 'MAIL FROM') this.tracked.rejectedErrors = [];
    const answer = error.code === 'EPROTOCOL' ? undefined : error.response;
    if (answer !== undefined) return this.end({ response: answer });
    this.end({ broke: (error as { originalCode?: string }).originalCode ?? error.code ?? 'the connection broke' });
  }

  private arm(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.end({ broke: 'the next hop took too long and' });
      this.connection.close();
    }, ms);
  }

  private refused(): Transaction['refused'] {
    const errors = this.tracked.rejectedErrors ?? [];
    return errors.map(({ recipient, response }) => ({ recipient: recipient ?? '', response: response ?? '' }));
  }

  private end(how: Pick<Transaction, 'response' | 'broke' | 'aborted'>): void {
    clearTimeout(this.timer);
    this.settle({ stage: this.stage, refused: this.refused(), ...how });
  }
}
