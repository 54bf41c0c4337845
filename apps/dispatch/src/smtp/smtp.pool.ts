import type { Clock, NextHop } from '@lettermill/runtime';
import type { AttemptEnd } from '../deliveries/delivery';
import { SmtpConnection, type Ride, type Rider } from './smtp.connection';
import type { OutgoingContent } from './smtp.content';
import { wireEnvelope, type Envelope } from './smtp.envelope';
import type { SmtpJob } from './smtp.exchange';
import { HopFault } from './smtp.fault';
import { HopHealth } from './smtp.health';
import { SMTP_DEFAULTS, type SmtpPoolOptions } from './smtp.options';
import type { HopListener } from './smtp.news';
import { stageTimes, type PoolState, type StageTimes } from './smtp.metrics';
import { attemptEnd, neverBegun, tooMuch, unavailable, unsendable, type Transaction } from './smtp.transaction';
import { WaitingJobs, type PoolJob } from './smtp.waiting';
import { borne, connectionsOf, filled, newWindow, pressed, resting, type HopWindow } from './smtp.window';

/**
 * Connections to the next hop: opened on demand, used again up to a number of messages and an age, closed when idle. How many there
 * are follows what the hop bears (`HopWindow`).
 */
export class SmtpPool {
  readonly nextHop: string;
  private readonly options: SmtpPoolOptions;
  private readonly health: HopHealth;
  private readonly live = new Set<SmtpConnection>();
  private readonly idle: { connection: SmtpConnection; timer: NodeJS.Timeout }[] = [];
  private readonly waiting = new WaitingJobs();
  private readonly closing = new AbortController();
  private opening = 0;
  /** Connections that may be opened beside those of `capacity`. */
  private beside = { ofAll: 0, ofUrgent: 0 };
  private window: HopWindow;
  private readonly stages: StageTimes;
  private roomListener: () => void = () => undefined;
  private hopListener: HopListener = () => undefined;

  constructor(
    private readonly hop: NextHop,
    private readonly now: Clock,
    options: Partial<SmtpPoolOptions> = {},
  ) {
    this.options = { ...SMTP_DEFAULTS, ...options };
    this.health = new HopHealth(this.options.pause);
    this.window = newWindow(this.options.maxConnections);
    this.nextHop = `${hop.host}:${hop.port}`;
    this.stages = stageTimes(this.nextHop);
  }

  /**
   * How many attempts may be under way now: none in a pause after a failed connection, one while no connection stands (it
   * finds out whether the hop is there), else as many as the hop bears.
   */
  capacity(): number {
    if (this.health.resting(this.now())) return 0;
    return this.live.size === 0 ? 1 : connectionsOf(this.window, this.now());
  }

  state(): PoolState {
    const window = connectionsOf(this.window, this.now());
    return { open: this.live.size, idle: this.idle.length, window, up: this.health.well };
  }

  /** Whoever knows of attempts that must not wait for others asks for connections beside `capacity`. */
  widen(ofAll: number, ofUrgent: number): void {
    this.beside = { ofAll, ofUrgent };
  }

  /** Called when `capacity` grew. */
  onRoom(listener: () => void): void {
    this.roomListener = listener;
  }

  /** Called when a connection stands, and when none could be opened while none stood. */
  onHop(listener: HopListener): void {
    this.hopListener = listener;
  }

  /**
   * One attempt. Undefined where `signal` ended it before anything was handed over: then it was none. One that is `urgent` may use the
   * connections beside `capacity` that are kept for it.
   */
  async send(
    envelope: Envelope,
    content: OutgoingContent,
    signal: AbortSignal,
    urgent = false,
  ): Promise<AttemptEnd | undefined> {
    const job = { envelope: wireEnvelope(envelope), content, signal, urgent };
    const began = this.now();
    for (let fresh = false; ;) {
      const got = await this.acquire(job).catch((fault: unknown) => this.withoutConnection(fault, signal));
      if (!got || 'outcome' in got) return got;
      const { connection } = got;
      const refused = judgeBefore(connection, job);
      if (refused) {
        this.release(connection);
        return { ...refused, peer: connection.peer };
      }
      const stale = ('transaction' in got || connection.used > 0) && !fresh;
      const transaction = await ('transaction' in got
        ? got.transaction
        : connection.transact(job, () => this.rider(connection)));
      // The connection ended with the mail before: nothing of this one was heard.
      if (!transaction) continue;
      this.time(transaction);
      if (tooMuch(transaction, stale)) this.window = pressed(this.window, began, this.now());
      else if (transaction.response !== undefined) this.window = borne(this.window, this.now());
      if (!transaction.followed) this.release(connection);
      if (transaction.aborted) return undefined;
      // The hop had closed a connection that was idle: no answer about this message, and no attempt wasted on it.
      if (!(stale && neverBegun(transaction))) {
        return { ...attemptEnd(transaction, job.envelope), peer: connection.peer };
      }
      this.closeIdle();
      fresh = true;
    }
  }

  /** Closes every connection; what is under way ends as broken. */
  close(): void {
    this.closing.abort();
    this.closeIdle();
    for (const connection of this.live) connection.close();
    this.waiting.wake();
  }

  private time({ begunAt, openedAt, aborted }: Transaction): void {
    if (aborted || begunAt === undefined) return;
    const now = this.now();
    this.stages.envelope((openedAt ?? now) - begunAt);
    if (openedAt !== undefined) this.stages.content(now - openedAt);
  }

  private withoutConnection(fault: unknown, signal: AbortSignal): AttemptEnd | undefined {
    if (signal.aborted || this.closing.signal.aborted) return undefined;
    if (!(fault instanceof HopFault)) throw fault;
    return { ...unavailable(fault.reason, fault.message, fault.reply), peer: fault.peer };
  }

  private async acquire(job: PoolJob): Promise<{ connection: SmtpConnection } | Ride> {
    for (;;) {
      job.signal.throwIfAborted();
      this.closing.signal.throwIfAborted();
      const idle = this.idle.pop();
      if (idle) {
        clearTimeout(idle.timer);
        if (idle.connection.usable) return idle;
        continue;
      }
      if (this.live.size + this.opening >= this.most(job.urgent)) {
        const ride = await this.waiting.wait(job);
        if (ride) return ride;
        continue;
      }
      const connection = await this.open(job.signal);
      if (connection) return { connection };
    }
  }

  /** Who waits for a connection, and may go behind the mail that is going. */
  private rider(connection: SmtpConnection): Rider | undefined {
    if (!this.mayStay(connection)) return undefined;
    return this.waiting.rider((job) => !job.signal.aborted && !judgeBefore(connection, job));
  }

  /** Undefined where the hop wants no more connections than stand: one of those is to be waited for. */
  private async open(signal: AbortSignal): Promise<SmtpConnection | undefined> {
    const began = this.now();
    this.opening += 1;
    try {
      const either = AbortSignal.any([signal, this.closing.signal]);
      const connection = await SmtpConnection.open(this.hop, this.options, this.now, either);
      this.live.add(connection);
      connection.onEnd(() => this.gone(connection));
      this.health.succeeded();
      this.hopListener(undefined);
      this.stages.connect(this.now() - began);
      if (this.live.size === 1) this.roomListener();
      return connection;
    } catch (fault) {
      if (signal.aborted || this.closing.signal.aborted) throw fault;
      if (this.live.size > 0) {
        this.window = filled(this.window, this.live.size + this.opening - 1, this.now());
        return undefined;
      }
      // A hop that is down says nothing of what it will bear when it is back.
      const told = fault instanceof HopFault && fault.reply !== null;
      this.window = told ? pressed(this.window, began, this.now()) : newWindow(this.options.maxConnections);
      const pause = this.health.failed(this.now());
      if (fault instanceof HopFault) this.hopListener(fault);
      this.waiting.wake();
      setTimeout(() => this.roomListener(), pause + 1).unref();
      throw fault;
    } finally {
      this.opening -= 1;
    }
  }

  /** What the hop refuses is not asked of it, whoever waits. */
  private most(urgent: boolean): number {
    const now = this.now();
    const { ofAll, ofUrgent } = this.beside;
    return connectionsOf(this.window, now) + (resting(this.window, now) ? 0 : ofAll + (urgent ? ofUrgent : 0));
  }

  private release(connection: SmtpConnection): void {
    if (this.mayStay(connection)) {
      const timer = setTimeout(() => this.retire(connection), this.options.idle);
      timer.unref();
      this.idle.push({ connection, timer });
    } else {
      this.retire(connection);
    }
    this.wake();
  }

  private mayStay({ usable, used, openedAt }: SmtpConnection): boolean {
    const { maxMessages, maxAge } = this.options;
    const young = used < maxMessages && this.now() - openedAt < maxAge;
    return usable && young && this.live.size <= this.most(true) && !this.closing.signal.aborted;
  }

  /** For the connection that became free, and for those that may be opened by now. */
  private wake(): void {
    this.waiting.wake(Math.max(1, this.most(true) - this.live.size - this.opening));
  }

  private retire(connection: SmtpConnection): void {
    this.forget(connection);
    connection.quit();
  }

  /** The connection has ended, whoever ended it; a transaction on it hears of that by itself. */
  private gone(connection: SmtpConnection): void {
    this.forget(connection);
    this.wake();
  }

  private forget(connection: SmtpConnection): void {
    const index = this.idle.findIndex((one) => one.connection === connection);
    if (index >= 0) clearTimeout(this.idle.splice(index, 1)[0]!.timer);
    this.live.delete(connection);
  }

  private closeIdle(): void {
    for (const { connection } of [...this.idle]) this.retire(connection);
  }
}

/** What can be said without asking: the hop's own offer rules it out. */
function judgeBefore({ offer }: SmtpConnection, { envelope, content }: SmtpJob): AttemptEnd | undefined {
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
