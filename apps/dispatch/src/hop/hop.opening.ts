import type { NextHop } from '@lettermill/config';
import type { Clock } from '@lettermill/runtime';
import { SmtpConnection } from '../smtp/smtp.connection';
import { HopAddresses } from '../smtp/smtp.addresses';
import { HopFault, unavailableFault } from '../smtp/smtp.fault';
import type { SmtpPoolOptions } from '../smtp/smtp.options';
import { HopHealth } from './hop.health';
import type { HopLimits } from './hop.limits';
import { Patience } from './hop.patience';
import type { Standing } from './hop.window';

/** Reported while the connection is still awaited. */
const SILENT_HOP_FAULT = unavailableFault('it has not let us in yet');

/** How much longer a connection is waited for if no other is open. */
const ALONE_FACTOR = 2;

/** The pool that connections are opened for. */
export interface OpeningPool {
  /** How many connections are open. */
  standing(): number;
  /** A connection is open, after this many milliseconds. */
  opened(connection: SmtpConnection, ms: number): void;
  /** No connection is open and none could be opened: nothing is tried for this many milliseconds. */
  paused(ms: number): void;
  /** More connections may be tried than a while ago. */
  rested(): void;
  /** Called with the fault as well, or as soon as the hop keeps us waiting; with undefined when a connection is open. */
  hopChanged(fault: HopFault | undefined): void;
}

/** Opens connections to the next hop, and so learns whether it is there and how many it bears. */
export class HopOpening {
  readonly health: HopHealth;
  /** Each aborts the opening of one connection. Signals derived from a common one would all be kept in memory (nodejs/node#55351). */
  readonly inProgress = new Set<AbortController>();
  private readonly patience: Patience;
  private readonly addresses = new HopAddresses();
  private readonly options: SmtpPoolOptions;
  /** When we began to wait for a connection, if none was opened or refused since. */
  private silentSince: number | undefined;

  constructor(
    private readonly hop: NextHop,
    options: SmtpPoolOptions,
    private readonly now: Clock,
    private readonly limits: HopLimits,
    private readonly pool: OpeningPool,
  ) {
    this.options = { lookup: this.addresses.lookup, ...options };
    this.health = new HopHealth(options.pause);
    this.patience = new Patience(options.timeouts.connect + options.timeouts.greeting);
  }

  /** Undefined if there is none now: its mail waits for one of those that are open, or does not count as tried. */
  async open(aborter: AbortController): Promise<SmtpConnection | undefined> {
    const began = this.now();
    this.inProgress.add(aborter);
    let isLost = false;
    const giveUp = () => {
      isLost = true;
      aborter.abort();
    };
    const waiting = this.patience.ms === undefined ? undefined : this.whenLost(this.patience.ms, giveUp);
    const silence = setTimeout(() => this.reportSilence(), this.silenceLeft(began)).unref();
    try {
      const connection = await SmtpConnection.open(this.hop, this.options, this.now, aborter.signal);
      this.succeeded(connection, this.now() - began);
      return connection;
    } catch (fault) {
      if (!isLost && aborter.signal.aborted) throw fault;
      const standing = { open: this.pool.standing(), opening: this.inProgress.size - 1 };
      // While others are open, the hop is not slow as a whole.
      if (isLost && standing.open === 0) this.patience.lost(began, this.now());
      if (isLost || wasLetDown(fault)) this.addresses.passOver();
      const others = standing.open + standing.opening;
      if (others > 0) this.refused(standing, began);
      // In a pause, another mail has just failed in the same way, and its attempt tells of it.
      if (isLost || others > 0 || this.health.isPaused(this.now())) return undefined;
      this.failed(fault, began);
      throw fault;
    } finally {
      waiting?.stop();
      clearTimeout(silence);
      this.inProgress.delete(aborter);
    }
  }

  /** Calls `lost` after that many milliseconds; later while no connection is open: all servers may have become slow. */
  private whenLost(ms: number, lost: () => void): { stop(): void } {
    const askAgain = () => {
      if (this.pool.standing() === 0) timer = setTimeout(lost, ms * (ALONE_FACTOR - 1)).unref();
      else lost();
    };
    let timer = setTimeout(askAgain, ms).unref();
    return { stop: () => clearTimeout(timer) };
  }

  /** The hop answered a mail: its connections are good for something. */
  proved(): void {
    if (this.health.isUp) return;
    this.health.proved();
    this.pool.hopChanged(undefined);
  }

  /**
   * The hop let us in at `openedAt`, and ended the connection at its first mail, while `others` are open: as if it had refused it. Returns
   * whether another mail has just found the same.
   */
  turnedAway(openedAt: number, others: number, answer: string | undefined): boolean {
    this.addresses.passOver();
    if (others > 0) this.refused({ open: others, opening: 0 }, openedAt);
    if (others > 0 || this.health.isPaused(this.now())) return true;
    this.failed(unavailableFault('it let us in, and ended the connection at the first mail', answer), openedAt, true);
    return false;
  }

  private succeeded(connection: SmtpConnection, tookMs: number): void {
    this.silentSince = undefined;
    this.patience.opened(tookMs);
    this.health.succeeded();
    if (this.health.isUp) this.pool.hopChanged(undefined);
    this.pool.opened(connection, tookMs);
  }

  private refused(standing: Standing, began: number): void {
    this.limits.refusedMoreThan(standing, began);
    // The open ones may be held up for minutes.
    setTimeout(() => this.pool.rested(), this.limits.restLeft() + 1).unref();
  }

  private failed(fault: unknown, began: number, atMail = false): void {
    this.silentSince = undefined;
    this.limits.openingFailed(fault instanceof HopFault && fault.reply !== null, began);
    const pause = this.health.failed(this.now(), atMail);
    if (fault instanceof HopFault) this.pool.hopChanged(fault);
    this.pool.paused(pause);
  }

  /** How long until the hop is reported as silent. */
  private silenceLeft(now: number): number {
    this.silentSince ??= now;
    return this.options.silence - Math.max(0, now - this.silentSince);
  }

  /** Reported long before a hop that never let us in is given up, which takes minutes. */
  private reportSilence(): void {
    if (this.pool.standing() === 0 && this.health.doubt()) this.pool.hopChanged(SILENT_HOP_FAULT);
  }
}

/** A server took the TCP connection, but did not let us in. */
function wasLetDown(fault: unknown): boolean {
  return fault instanceof HopFault && fault.peer !== undefined;
}
