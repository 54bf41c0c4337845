import type { Clock, NextHop } from '@lettermill/runtime';
import type { AttemptEnd } from '../deliveries/delivery';
import { SmtpConnection } from './smtp.connection';
import type { OutgoingContent } from './smtp.content';
import { wireEnvelope, type Envelope, type WireEnvelope } from './smtp.envelope';
import { HopFault } from './smtp.fault';
import { HopHealth } from './smtp.health';
import { SMTP_DEFAULTS, type SmtpPoolOptions } from './smtp.options';
import { attemptEnd, unavailable, unsendable, type Transaction } from './smtp.transaction';

/** How long fewer connections are tried after the hop refused one more beside those that stand. */
const CROWDED_MS = 60_000;

/** Connections to the next hop: opened on demand, used again, closed when idle. */
export class SmtpPool {
  readonly nextHop: string;
  private readonly options: SmtpPoolOptions;
  private readonly health: HopHealth;
  private readonly live = new Set<SmtpConnection>();
  private readonly idle: { connection: SmtpConnection; timer: NodeJS.Timeout }[] = [];
  private readonly waiting: (() => void)[] = [];
  private readonly closing = new AbortController();
  private opening = 0;
  /** Connections that may be opened beside those of `capacity`. */
  private beside = 0;
  private crowded = { limit: 0, until: 0 };
  private roomListener: () => void = () => undefined;

  constructor(
    private readonly hop: NextHop,
    private readonly now: Clock,
    options: Partial<SmtpPoolOptions> = {},
  ) {
    this.options = { ...SMTP_DEFAULTS, ...options };
    this.health = new HopHealth(this.options.pause);
    this.nextHop = `${hop.host}:${hop.port}`;
  }

  /**
   * How many attempts may be under way now: none in a pause after a failed connection, one while no connection stands (it
   * finds out whether the hop is there), else as many as there may be connections.
   */
  capacity(): number {
    if (this.health.resting(this.now())) return 0;
    return this.live.size === 0 ? 1 : this.limit();
  }

  /** Whoever knows of attempts that must not wait for others asks for connections beside `capacity`. */
  widen(beside: number): void {
    this.beside = beside;
  }

  /** Called when `capacity` grew. */
  onRoom(listener: () => void): void {
    this.roomListener = listener;
  }

  /** One attempt. Undefined where `signal` ended it before anything was handed over: then it was none. */
  async send(envelope: Envelope, content: OutgoingContent, signal: AbortSignal): Promise<AttemptEnd | undefined> {
    const wire = wireEnvelope(envelope);
    for (let fresh = false; ; fresh = true) {
      const connection = await this.acquire(signal).catch((fault: unknown) => this.withoutConnection(fault, signal));
      if (!(connection instanceof SmtpConnection)) return connection;
      const refused = judgeBefore(connection, wire, content);
      if (refused) {
        this.release(connection);
        return refused;
      }
      const stale = connection.used > 0 && !fresh;
      const transaction = await connection.transact(wire, content, signal);
      this.release(connection);
      if (transaction.aborted) return undefined;
      // The hop had closed a connection that was idle: no answer about this message, and no attempt wasted on it.
      if (!(stale && neverBegun(transaction))) return attemptEnd(transaction, wire.main);
      this.closeIdle();
    }
  }

  /** Closes every connection; what is under way ends as broken. */
  close(): void {
    this.closing.abort();
    this.closeIdle();
    for (const connection of this.live) connection.close();
    this.wakeAll();
  }

  private withoutConnection(fault: unknown, signal: AbortSignal): AttemptEnd | undefined {
    if (signal.aborted || this.closing.signal.aborted) return undefined;
    if (!(fault instanceof HopFault)) throw fault;
    return unavailable(fault.reason, fault.message, fault.reply);
  }

  private async acquire(signal: AbortSignal): Promise<SmtpConnection> {
    for (;;) {
      signal.throwIfAborted();
      this.closing.signal.throwIfAborted();
      const idle = this.idle.pop();
      if (idle) {
        clearTimeout(idle.timer);
        if (idle.connection.usable) return idle.connection;
        continue;
      }
      if (this.live.size + this.opening >= this.most()) {
        await this.nextFree(signal);
        continue;
      }
      const opened = await this.open(signal);
      if (opened) return opened;
    }
  }

  /** Undefined where the hop wants no more connections than stand: one of those is to be waited for. */
  private async open(signal: AbortSignal): Promise<SmtpConnection | undefined> {
    this.opening += 1;
    try {
      const either = AbortSignal.any([signal, this.closing.signal]);
      const connection = await SmtpConnection.open(this.hop, this.options, either);
      this.live.add(connection);
      connection.onEnd(() => this.gone(connection));
      this.health.succeeded();
      if (this.live.size === 1) this.roomListener();
      return connection;
    } catch (fault) {
      if (signal.aborted || this.closing.signal.aborted) throw fault;
      if (this.live.size > 0) {
        this.crowded = { limit: this.live.size, until: this.now() + CROWDED_MS };
        return undefined;
      }
      const pause = this.health.failed(this.now());
      this.wakeAll();
      setTimeout(() => this.roomListener(), pause + 1).unref();
      throw fault;
    } finally {
      this.opening -= 1;
    }
  }

  /** What the hop refuses is not asked of it, whoever waits. */
  private most(): number {
    return this.now() < this.crowded.until ? this.crowded.limit : this.options.maxConnections + this.beside;
  }

  private limit(): number {
    return this.now() < this.crowded.until ? this.crowded.limit : this.options.maxConnections;
  }

  private async nextFree(signal: AbortSignal): Promise<void> {
    let wake!: () => void;
    const woken = new Promise<void>((resolve) => (wake = resolve));
    this.waiting.push(wake);
    signal.addEventListener('abort', wake, { once: true });
    await woken;
    signal.removeEventListener('abort', wake);
  }

  private release(connection: SmtpConnection): void {
    if (connection.usable && connection.used < this.options.maxMessages && !this.closing.signal.aborted) {
      const timer = setTimeout(() => this.retire(connection), this.options.idle);
      timer.unref();
      this.idle.push({ connection, timer });
    } else {
      this.retire(connection);
    }
    this.waiting.shift()?.();
  }

  private retire(connection: SmtpConnection): void {
    this.forget(connection);
    connection.quit();
  }

  /** The connection has ended, whoever ended it; a transaction on it hears of that by itself. */
  private gone(connection: SmtpConnection): void {
    this.forget(connection);
    this.waiting.shift()?.();
  }

  private forget(connection: SmtpConnection): void {
    const index = this.idle.findIndex((one) => one.connection === connection);
    if (index >= 0) clearTimeout(this.idle.splice(index, 1)[0]!.timer);
    this.live.delete(connection);
  }

  private closeIdle(): void {
    for (const { connection } of [...this.idle]) this.retire(connection);
  }

  private wakeAll(): void {
    this.waiting.splice(0).forEach((wake) => wake());
  }
}

/** What can be said without asking: the hop's own offer rules it out. */
function judgeBefore(
  { offer }: SmtpConnection,
  envelope: WireEnvelope,
  content: OutgoingContent,
): AttemptEnd | undefined {
  if (envelope.needsUtf8 && !offer.smtpUtf8) {
    return unsendable(
      'smtputf8_unsupported',
      'An address has a local part that is not ASCII; the next hop does not offer SMTPUTF8.',
    );
  }
  if (offer.maxSize !== null && content.size > offer.maxSize) {
    const detail = `The mail has ${content.size} bytes; the next hop takes ${offer.maxSize}.`;
    return unsendable('message_too_large', detail);
  }
  return undefined;
}

function neverBegun({ stage, response, refused }: Transaction): boolean {
  return stage === 'envelope' && refused.length === 0 && (response === undefined || response.startsWith('421'));
}
