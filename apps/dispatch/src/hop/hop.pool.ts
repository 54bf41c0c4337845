import type { Clock, NextHop } from '@lettermill/runtime';
import type { AttemptEnd, Envelope } from '../deliveries/delivery';
import { SmtpConnection, type Rider } from '../smtp/smtp.connection';
import type { OutgoingContent } from '../smtp/smtp.content';
import { wireEnvelope } from '../smtp/smtp.envelope';
import { HopFault } from '../smtp/smtp.fault';
import { HopHealth } from './hop.health';
import { IdleConnections } from './hop.idle';
import { ruledOut, sayable, withUnsaid } from './hop.ruled.out';
import { mayRide, NOBODY_RODE, rides, rode } from './hop.riding';
import { SMTP_DEFAULTS, type SmtpPoolOptions } from '../smtp/smtp.options';
import { SILENT, type HopListener } from './hop.news';
import { stageTimes, type PoolState, type StageTimes } from './hop.metrics';
import { attemptEnd, neverBegun, tooMuch, unavailable, type Transaction } from '../smtp/smtp.transaction';
import { WaitingJobs, type PoolJob } from './hop.waiting';
import type { Withdrawal } from '../smtp/smtp.withdrawal';
import { borne, connectionsOf, filled, newWindow, pressed, resting, type HopWindow } from './hop.window';

/** How a mail gets to the hop. */
interface Way {
  connection: SmtpConnection;
  /** Set if the mail already rides behind another one. */
  transaction?: Promise<Transaction | undefined>;
}

/**
 * Connections to the next hop: opened on demand, used again up to a number of messages and an age, closed when idle. Their number follows
 * what the hop bears (`HopWindow`).
 */
export class SmtpPool {
  readonly nextHop: string;
  private readonly options: SmtpPoolOptions;
  private readonly health: HopHealth;
  private readonly live = new Set<SmtpConnection>();
  private readonly idle: IdleConnections;
  private readonly waiting = new WaitingJobs();
  /** Each aborts the opening of one connection. Signals derived from a common one would all be kept in memory (nodejs/node#55351). */
  private readonly opening = new Set<AbortController>();
  private closed = false;
  /** Connections that may be opened in addition to `capacity`. */
  private beside = { ofAll: 0, ofUrgent: 0 };
  private window: HopWindow;
  private ridden = NOBODY_RODE;
  private readonly stages: StageTimes;
  private roomListener: () => void = () => undefined;
  private hopListener: HopListener = () => undefined;

  constructor(
    private readonly hop: NextHop,
    private readonly now: Clock,
    options: Partial<SmtpPoolOptions> = {},
  ) {
    this.options = { ...SMTP_DEFAULTS, ...options };
    this.idle = new IdleConnections(this.options.idle, (connection) => this.retire(connection));
    this.health = new HopHealth(this.options.pause);
    this.window = newWindow(this.options.maxConnections);
    this.nextHop = `${hop.host}:${hop.port}`;
    this.stages = stageTimes(this.nextHop);
  }

  /**
   * How many attempts may be in progress now: none in a pause after a failed connection, one while no connection is open (it finds out
   * whether the hop is there), else as many as the hop bears.
   */
  capacity(): number {
    if (this.health.resting(this.now())) return 0;
    return this.stands ? connectionsOf(this.window, this.now()) : 1;
  }

  get stands(): boolean {
    return this.live.size > 0;
  }

  /** Whether a mail may ride behind another on the connections that are open. */
  get riding(): boolean {
    return mayRide(this.ridden, this.now()) && [...this.live].some(({ offer }) => offer.rides);
  }

  state(): PoolState {
    const window = connectionsOf(this.window, this.now());
    return { open: this.live.size, idle: this.idle.size, window, up: this.health.well };
  }

  /** Allows connections in addition to `capacity`, for attempts that must not wait for others. */
  widen(ofAll: number, ofUrgent: number): void {
    this.beside = { ofAll, ofUrgent };
  }

  /** `listener` is called when `capacity` grew. */
  onRoom(listener: () => void): void {
    this.roomListener = listener;
  }

  /** `listener` is called when a connection is open, and when none could be opened while none was. */
  onHop(listener: HopListener): void {
    this.hopListener = listener;
  }

  /**
   * Makes one attempt. Resolves to undefined if it was withdrawn before anything was handed over: it does not count then. An `urgent` mail
   * may use the additional connections that are kept for it.
   */
  async send(
    envelope: Envelope,
    content: OutgoingContent,
    withdrawal: Withdrawal,
    urgent = false,
  ): Promise<AttemptEnd | undefined> {
    const job = { envelope: wireEnvelope(envelope), content, withdrawal, urgent };
    const began = this.now();
    for (let again = false; ;) {
      const way = await this.wayFor(job);
      if (!way || 'outcome' in way) return way;
      const { connection } = way;
      const stood = connection.used > 0;
      const said = sayable(connection.offer, job);
      const transaction = await (way.transaction ?? connection.transact(said, () => this.rider(connection)));
      if (way.transaction) this.ridden = rode(this.ridden, transaction, this.now());
      // The connection ended with the previous mail: the hop heard nothing of this one.
      if (!transaction) continue;
      // The hop had closed an idle connection, or got out of step: it said nothing about this mail, so, once, no attempt is spent on it.
      const unheard = stood && !again && neverBegun(transaction);
      this.learn(transaction, began, unheard);
      if (!transaction.followed) this.release(connection);
      if (transaction.aborted) return undefined;
      const { peer } = connection;
      if (!unheard) return { ...withUnsaid(attemptEnd(transaction, said.envelope), job, said), peer };
      this.closeIdle();
      again = true;
    }
  }

  /** Closes every connection; attempts in progress end as broken. */
  close(): void {
    this.closed = true;
    for (const unwanted of this.opening) unwanted.abort();
    this.closeIdle();
    for (const connection of this.live) connection.close();
    this.waiting.wake();
  }

  /** A way to the hop that the job may take; or, if there is none, how the attempt ended. */
  private async wayFor(job: PoolJob): Promise<Way | AttemptEnd | undefined> {
    try {
      const way = await this.acquire(job);
      if (!way) return undefined;
      const { offer } = way.connection;
      const refused = ruledOut(offer, sayable(offer, job));
      if (!refused) return way;
      this.release(way.connection);
      return { ...refused, peer: way.connection.peer };
    } catch (fault) {
      return this.withoutConnection(fault, job);
    }
  }

  private withoutConnection(fault: unknown, job: PoolJob): AttemptEnd | undefined {
    if (this.givenUp(job)) return undefined;
    if (!(fault instanceof HopFault)) throw fault;
    return { ...unavailable(fault.reason, fault.message, fault.reply), peer: fault.peer };
  }

  /** Learns from a transaction how quick the hop is, and how much it bears. */
  private learn(transaction: Transaction, began: number, unheard: boolean): void {
    const { begunAt, openedAt, aborted, response } = transaction;
    const now = this.now();
    if (!aborted && begunAt !== undefined) {
      this.stages.envelope((openedAt ?? now) - begunAt);
      if (openedAt !== undefined) this.stages.content(now - openedAt);
    }
    if (response === undefined || unheard) return;
    this.window = tooMuch(transaction) ? pressed(this.window, began, now) : borne(this.window, now);
  }

  /** Undefined if the job was given up before there was a connection. */
  private async acquire(job: PoolJob): Promise<Way | undefined> {
    while (!this.givenUp(job)) {
      const idle = this.idle.take();
      if (idle) return { connection: idle };
      if (this.live.size + this.opening.size < this.most(job.urgent)) {
        const opened = await this.open(job);
        if (opened) return { connection: opened };
      } else {
        const ride = await this.waiting.wait(job);
        if (ride) return ride;
      }
    }
    return undefined;
  }

  private givenUp({ withdrawal }: PoolJob): boolean {
    return withdrawal.withdrawn || this.closed;
  }

  /** The job that waits for a connection and may ride behind the mail being sent. */
  private rider(connection: SmtpConnection): Rider | undefined {
    if (!this.mayStay(connection) || !mayRide(this.ridden, this.now())) return undefined;
    const rider = this.waiting.rider((job) => !job.withdrawal.withdrawn && !ruledOut(connection.offer, job));
    if (rider) this.ridden = rides(this.ridden);
    return rider;
  }

  /** Undefined if the hop accepts no more connections than are open: the job must wait for one of those. */
  private async open(job: PoolJob): Promise<SmtpConnection | undefined> {
    const began = this.now();
    const unwanted = new AbortController();
    this.opening.add(unwanted);
    const withdrawn = () => unwanted.abort();
    job.withdrawal.listen(withdrawn);
    const silence = setTimeout(() => this.silent(), this.options.silence).unref();
    try {
      return this.opened(await SmtpConnection.open(this.hop, this.options, this.now, unwanted.signal), began);
    } catch (fault) {
      if (this.givenUp(job)) throw fault;
      if (this.live.size === 0) {
        this.down(fault, began);
        throw fault;
      }
      this.window = filled(this.window, this.live.size + this.opening.size - 1, this.now());
      return undefined;
    } finally {
      clearTimeout(silence);
      job.withdrawal.leave(withdrawn);
      this.opening.delete(unwanted);
      // The place is free, and nothing else tells the jobs that wait for it.
      if (this.givenUp(job)) this.wake();
    }
  }

  private opened(connection: SmtpConnection, began: number): SmtpConnection {
    this.live.add(connection);
    connection.onEnd(() => this.gone(connection));
    this.health.succeeded();
    this.hopListener(undefined);
    this.stages.connect(this.now() - began);
    if (this.live.size === 1) this.roomListener();
    return connection;
  }

  /** Reported long before the connection is given up, which takes minutes. */
  private silent(): void {
    if (this.live.size === 0 && this.health.doubt()) this.hopListener(SILENT);
  }

  /** No connection is open and none could be opened: nothing is tried for a pause. */
  private down(fault: unknown, began: number): void {
    const now = this.now();
    // A hop that is down says nothing about how much it will bear when it is back.
    const told = fault instanceof HopFault && fault.reply !== null;
    this.window = told ? pressed(this.window, began, now) : newWindow(this.options.maxConnections);
    const pause = this.health.failed(now);
    if (fault instanceof HopFault) this.hopListener(fault);
    this.waiting.wake();
    setTimeout(() => this.roomListener(), pause + 1).unref();
  }

  /** While the hop refuses more connections, not even an urgent mail gets an additional one. */
  private most(urgent: boolean): number {
    const now = this.now();
    const { ofAll, ofUrgent } = this.beside;
    return connectionsOf(this.window, now) + (resting(this.window, now) ? 0 : ofAll + (urgent ? ofUrgent : 0));
  }

  private release(connection: SmtpConnection): void {
    if (this.mayStay(connection)) this.idle.put(connection);
    else this.retire(connection);
    this.wake();
  }

  private mayStay({ usable, used, openedAt }: SmtpConnection): boolean {
    const { maxMessages, maxAge } = this.options;
    const young = used < maxMessages && this.now() - openedAt < maxAge;
    return usable && young && this.live.size <= this.most(true) && !this.closed;
  }

  /** Wakes jobs for the connection that became free, and for those that may be opened by now. */
  private wake(): void {
    this.waiting.wake(Math.max(1, this.most(true) - this.live.size - this.opening.size));
  }

  private retire(connection: SmtpConnection): void {
    this.forget(connection);
    connection.quit();
  }

  /** The connection has ended, whoever ended it; a transaction on it is notified separately. */
  private gone(connection: SmtpConnection): void {
    this.forget(connection);
    this.wake();
  }

  private forget(connection: SmtpConnection): void {
    this.idle.remove(connection);
    this.live.delete(connection);
  }

  private closeIdle(): void {
    for (const connection of this.idle.list()) this.retire(connection);
  }
}
