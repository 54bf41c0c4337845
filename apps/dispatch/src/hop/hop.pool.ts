import type { NextHop } from '@lettermill/config';
import type { Clock } from '@lettermill/runtime';
import type { AttemptEnd, Envelope } from '../lifecycle/delivery';
import type { Rider, SmtpConnection } from '../smtp/smtp.connection';
import type { OutgoingContent } from '../smtp/smtp.content';
import { wireEnvelope } from '../smtp/smtp.envelope';
import { HopFault } from '../smtp/smtp.fault';
import { IdleConnections } from './hop.idle';
import { LeavingConnections } from './hop.leaving';
import { countCarrying, fateOf, type ConnectionFate } from './hop.fate';
import { HopLimits } from './hop.limits';
import { HopOpening } from './hop.opening';
import { unsupportedEnd, sendablePart, withOmittedCopies } from './hop.unsupported';
import { connectionEnded, mostMails, NO_MAIL_LIMIT } from './hop.mail.limit';
import { mayRide, NO_RIDE_YET, beginRide, endRide } from './hop.riding';
import { SMTP_DEFAULTS, type SmtpPoolOptions } from '../smtp/smtp.options';
import type { HopListener } from './hop.fault.logger';
import { noteStages, stageTimes, type PoolState, type StageTimes } from './hop.metrics';
import { attemptEnd, wasNeverBegun, deferredEnd, type Transaction } from '../smtp/smtp.transaction';
import { WaitingJobs, type AcquiredConnection, type PoolJob } from './hop.waiting';
import type { Withdrawal } from '../smtp/smtp.withdrawal';

/** How often a mail takes another connection because the hop said nothing about it. */
const MAX_UNHEARD = 3;

/**
 * Connections to the next hop: opened on demand, used again up to a number of messages and an age, closed when idle. Their number follows
 * what the hop bears (`HopLimits`).
 */
export class SmtpPool {
  readonly nextHop: string;
  private readonly options: SmtpPoolOptions;
  private readonly connections = new Set<SmtpConnection>();
  private readonly leaving = new LeavingConnections(() => this.wake());
  private readonly idle: IdleConnections;
  private readonly waiting = new WaitingJobs();
  private readonly opening: HopOpening;
  private closed = false;
  private readonly limits: HopLimits;
  private rideState = NO_RIDE_YET;
  private mailLimit = NO_MAIL_LIMIT;
  private readonly stages: StageTimes;
  private roomListener: () => void = () => undefined;
  private hopListener: HopListener = () => undefined;

  constructor(
    hop: NextHop,
    private readonly now: Clock,
    options: Partial<SmtpPoolOptions> = {},
  ) {
    this.options = { ...SMTP_DEFAULTS, ...options };
    this.idle = new IdleConnections(this.options.idle, (connection) => this.retire(connection));
    this.limits = new HopLimits(this.options.maxConnections, now);
    this.opening = new HopOpening(hop, this.options, now, this.limits, {
      standing: () => this.connections.size,
      opened: (connection, ms) => this.add(connection, ms),
      paused: (ms) => this.pauseFor(ms),
      rested: () => this.wake(),
      hopChanged: (fault) => this.hopListener(fault),
    });
    this.nextHop = `${hop.host}:${hop.port}`;
    this.stages = stageTimes(this.nextHop);
  }

  /** How many attempts may be in progress now: none in a pause after a failed connection, one while none is open, else as many as the hop bears. */
  capacity(): number {
    if (this.opening.health.isPaused(this.now())) return 0;
    return this.isConnected ? this.limits.window() : 1;
  }

  /** How many connections there may be with those in addition to `capacity`: as many again, or fewer if the hop refuses more. */
  mostConnections(): number {
    return this.limits.most();
  }

  get isConnected(): boolean {
    return this.connections.size > 0;
  }

  /** Whether a mail may ride behind another on the connections that are open. */
  get allowsRides(): boolean {
    return mayRide(this.rideState, this.now()) && [...this.connections].some(({ offer }) => offer.rides);
  }

  state(): PoolState {
    return {
      open: this.connections.size,
      idle: this.idle.size,
      window: this.limits.window(),
      up: this.opening.health.isUp,
    };
  }

  /** Allows connections in addition to `capacity`, for attempts that must not wait for others. */
  allowExtraConnections(count: number): void {
    if (this.limits.allowExtra(count)) this.wake();
  }

  /** `listener` is called when `capacity` grew. */
  onRoom(listener: () => void): void {
    this.roomListener = listener;
  }

  /** `listener` is called when a connection is open, and when none could be opened while none was. */
  onHopChange(listener: HopListener): void {
    this.hopListener = listener;
  }

  /**
   * Makes one attempt. Resolves to undefined if it was withdrawn before anything was handed over, or found nothing to be tried for a pause:
   * it does not count then. An `urgent` mail may use the additional connections that are kept for it.
   */
  async send(
    envelope: Envelope,
    content: OutgoingContent,
    withdrawal: Withdrawal,
    urgent = false,
  ): Promise<AttemptEnd | undefined> {
    const job = { envelope: wireEnvelope(envelope), content, withdrawal, urgent };
    const began = this.now();
    for (let unheardCount = 0; ;) {
      const acquired = await this.connectionFor(job);
      if (!acquired || 'outcome' in acquired) return acquired;
      const { connection } = acquired;
      const wasUsed = !connection.fresh;
      const part = sendablePart(connection.offer, job);
      const transaction = await (acquired.transaction ?? connection.transact(part, () => this.nextRider(connection)));
      if (acquired.transaction) this.rideState = endRide(this.rideState, transaction, this.now());
      // The connection ended with the previous mail: the hop heard nothing of this one.
      if (!transaction) continue;
      const { mailsTaken, peer } = connection;
      const others = this.connections.size - (this.connections.has(connection) ? 1 : 0);
      const fate = fateOf(transaction, { wasUsed, mailsTaken, others, isBusy: this.limits.isBusy });
      // The hop said nothing about this mail: no attempt is spent on it.
      const unheard = unheardCount < MAX_UNHEARD && fate !== undefined && (fate !== 'turned away' || others > 0);
      noteStages(this.stages, transaction, this.now());
      if (!unheard) this.learnFrom(transaction, began, connection);
      const isKnown = fate !== undefined && this.learnFromEnd(connection, fate, transaction, others);
      if (!transaction.followed) this.release(connection, fate === 'spent');
      if (transaction.aborted) return undefined;
      if (!unheard)
        return isKnown ? undefined : { ...withOmittedCopies(attemptEnd(transaction, part.envelope), job, part), peer };
      if (fate === 'over') this.closeIdle();
      unheardCount += 1;
    }
  }

  /** Closes every connection; attempts in progress end as broken. */
  close(): void {
    this.closed = true;
    for (const aborter of this.opening.inProgress) aborter.abort();
    this.closeIdle();
    for (const connection of this.connections) connection.close();
    this.waiting.wake();
  }

  /** A way to the hop that the job may take; or, if there is none, how the attempt ended. */
  private async connectionFor(job: PoolJob): Promise<AcquiredConnection | AttemptEnd | undefined> {
    try {
      const acquired = await this.acquire(job);
      if (!acquired) return undefined;
      const { offer } = acquired.connection;
      const refused = unsupportedEnd(offer, sendablePart(offer, job));
      if (!refused) return acquired;
      this.release(acquired.connection);
      return { ...refused, peer: acquired.connection.peer };
    } catch (fault) {
      return this.withoutConnection(fault, job);
    }
  }

  private withoutConnection(fault: unknown, job: PoolJob): AttemptEnd | undefined {
    if (this.isGivenUp(job)) return undefined;
    if (!(fault instanceof HopFault)) throw fault;
    return { ...deferredEnd(fault.reason, fault.message, fault.reply), peer: fault.peer };
  }

  /** Learns from the answer to a mail how much the hop bears. */
  private learnFrom(transaction: Transaction, began: number, { mailsTaken, begunAt }: SmtpConnection): void {
    if (transaction.response === undefined) return;
    this.limits.answered(transaction, began, mailsTaken === 0);
    if (!wasNeverBegun(transaction)) this.opening.proved();
    // Some hops refuse connections that they do not bear at the first mail.
    if (mailsTaken === 1) this.limits.carries(countCarrying(this.connections), begunAt);
  }

  /** Undefined if the job was given up before there was a connection, or another mail has just found the hop away. */
  private async acquire(job: PoolJob): Promise<AcquiredConnection | undefined> {
    while (!this.isGivenUp(job) && this.capacity() > 0) {
      const idle = this.idle.take();
      if (idle) return { connection: idle };
      const way = await (this.placesLeft(job.urgent) > 0 ? this.openUnlessFree(job) : this.waiting.wait(job));
      if (way) return way;
    }
    return undefined;
  }

  /** Some hops greet after half a minute: a mail takes a connection that becomes free before, and leaves the opened one to others. */
  private async openUnlessFree(job: PoolJob): Promise<AcquiredConnection | undefined> {
    const aborter = new AbortController();
    const opening = this.opening.open(aborter).finally(() => {
      this.waiting.leave(job);
      // The place is free, and nothing else tells the jobs that wait for it.
      if (aborter.signal.aborted) this.wake();
    });
    while (this.opening.inProgress.has(aborter) && !this.isGivenUp(job)) {
      const ride = await this.waiting.wait(job, true);
      const idle = ride ? undefined : this.idle.take();
      if (!ride && !idle) continue;
      opening.then((opened) => opened && this.release(opened)).catch(() => undefined);
      return ride ?? { connection: idle! };
    }
    if (this.isGivenUp(job)) aborter.abort();
    const connection = await opening;
    return connection && { connection };
  }

  private isGivenUp({ withdrawal }: PoolJob): boolean {
    return withdrawal.withdrawn || this.closed;
  }

  /** The job that waits for a connection and may ride behind the mail being sent. */
  private nextRider(connection: SmtpConnection): Rider | undefined {
    if (!this.mayStay(connection) || !mayRide(this.rideState, this.now())) return undefined;
    const rider = this.waiting.takeRider((job) => !unsupportedEnd(connection.offer, job));
    if (rider) this.rideState = beginRide(this.rideState);
    return rider;
  }

  private add(connection: SmtpConnection, openedIn: number): void {
    this.connections.add(connection);
    // A transaction on it is notified separately.
    connection.onEnd(() => {
      if (this.idle.remove(connection)) this.noteEnd(connection);
      this.forget(connection);
      this.wake();
    });
    this.stages.connect(openedIn);
    if (this.connections.size === 1) this.roomListener();
  }

  private pauseFor(ms: number): void {
    this.waiting.wake();
    setTimeout(() => this.roomListener(), ms + 1).unref();
  }

  /** Learns from the end of a connection; returns whether another mail has just found the same. */
  private learnFromEnd(
    connection: SmtpConnection,
    fate: ConnectionFate,
    { begunAt, response }: Transaction,
    others: number,
  ): boolean {
    if (fate === 'turned away') return this.opening.turnedAway(connection.openedAt, others, response);
    this.noteEnd(connection, begunAt);
    return false;
  }

  private noteEnd({ mailsTaken, tookLastAt }: SmtpConnection, at = this.now()): void {
    this.mailLimit = connectionEnded(this.mailLimit, mailsTaken, at - tookLastAt, this.now());
  }

  private release(connection: SmtpConnection, isSpent = false): void {
    connection.fresh = false;
    if (!isSpent && this.mayStay(connection)) this.idle.put(connection);
    else this.retire(connection);
    this.wake();
  }

  private mayStay({ usable, transactionCount: used, openedAt }: SmtpConnection): boolean {
    const { maxMessages, maxAge } = this.options;
    const young = used < Math.min(maxMessages, mostMails(this.mailLimit, this.now())) && this.now() - openedAt < maxAge;
    return usable && young && this.connections.size <= this.limits.connections(true) && !this.closed;
  }

  /** Wakes jobs for the connection that became free, and for those that may be opened by now. */
  private wake(): void {
    this.waiting.wake(Math.max(1, this.placesLeft(true)), this.idle.size);
  }

  /** How many more connections may be opened. */
  private placesLeft(urgent: boolean): number {
    const taken = this.connections.size + (this.limits.isTight ? this.leaving.size : 0);
    return this.limits.connections(urgent) - taken - this.opening.inProgress.size;
  }

  private retire(connection: SmtpConnection): void {
    this.forget(connection);
    this.leaving.add(connection);
  }

  private forget(connection: SmtpConnection): void {
    this.idle.remove(connection);
    this.connections.delete(connection);
  }

  private closeIdle(): void {
    for (const connection of this.idle.list()) this.retire(connection);
  }
}
