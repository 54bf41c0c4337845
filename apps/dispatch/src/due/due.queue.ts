import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '@lettermill/config';
import { CLOCK, CONFIG, type Clock } from '@lettermill/runtime';
import {
  DELIVERY_STORE,
  MAIN_LANE,
  PRIORITIES,
  type DeliveryQueue,
  type DueDelivery,
  type PriorityRank,
} from '../deliveries/deliveries.store';
import { recallAt } from '../deliveries/delivery.recall';
import { DomainShares, type Ending } from './domain.shares';
import { DueLanes } from './due.lanes';
import { DueWindow, MAX_WINDOW_AGE_MS } from './due.window';
import { rotateMostUrgent } from './due.rotation';
import { Room } from './room';

/** This many deliveries of the queue are in memory: keys only, in the order in which they go. */
export const WINDOW_SIZE = 256;
/** The window grows up to this size while a long queue is served in order: each read costs the store more than the rows it returns. */
const MAX_WINDOW_SIZE = 1_024;
/** Up to this size while deliveries of a domain are put aside. */
const MAX_PUTTING_ASIDE_WINDOW_SIZE = 2_048;

/** A delivery that may go; it has taken its place in the share of its domain. */
export interface Admitted extends DueDelivery {
  enteredAt: number;
  /** It waited in the lane of its domain, and waits there again if it is put off. */
  aside: boolean;
}

const keyTextOf = ({ accountId, messageId }: DueDelivery): string => `${accountId} ${messageId}`;
const isUrgent = ({ priority }: DueDelivery): boolean => priority === PRIORITIES.high;

/**
 * Due deliveries, in the order in which they go. Those of a domain that is at its limit make way: when they fill half of the smallest
 * window, they are put aside into a lane of their own, each of them once. However many they are, nobody reads over them again.
 */
@Injectable()
export class DueQueue {
  private readonly shares: DomainShares;
  private readonly retryDelays: readonly number[];
  /** The clock's last reading. What it was before this process started is unknown. */
  private lastTime = Infinity;
  private readonly main = new DueWindow();
  /** How many deliveries the next read of the main lane asks for. */
  private mainWindowSize = WINDOW_SIZE;
  private readonly lanes = new DueLanes();
  /** Other lanes were served last, so the main lane is next. */
  private isMainLaneNext = false;
  /** When the first of the deliveries falls due that were put off since the last look. */
  private earliestPutOff = Infinity;
  /** Names of the deliveries that were admitted and have not left. */
  private readonly admittedKeys = new Set<string>();

  constructor(
    @Inject(DELIVERY_STORE) private readonly store: DeliveryQueue,
    @Inject(CONFIG) config: Config,
    @Inject(CLOCK) private readonly now: Clock,
  ) {
    this.shares = new DomainShares(config.sending);
    this.retryDelays = config.retryDelays;
  }

  /** Finds lanes that other processes, or an earlier one, made. */
  async findLanes(): Promise<void> {
    this.lanes.add(await this.store.lanes());
  }

  /** If the clock was set back, deliveries that were due before are made due again. */
  async followClock(): Promise<void> {
    const now = this.now();
    if (now < this.lastTime) {
      await this.store.recall(recallAt(now, this.retryDelays));
      this.markStale();
    }
    this.lastTime = now;
  }

  /** New mail is in the store; `rank` is its most urgent priority. */
  noteInserted(rank: PriorityRank): void {
    if (this.main.noteInserted(rank)) this.mainWindowSize = WINDOW_SIZE;
  }

  /** Time has passed, or something was given back: everything is read again. */
  markStale(): void {
    this.main.markStale();
    this.lanes.markStale();
    this.earliestPutOff = Infinity;
  }

  /** The delivery will be due again at `dueAt`. */
  putOff({ domain, aside }: Admitted, dueAt: number): void {
    this.earliestPutOff = Math.min(this.earliestPutOff, dueAt);
    if (aside) this.lanes.of(domain).expect(dueAt);
  }

  /** Other replicas claimed these, reading from the same place. */
  noteContended(lost: Admitted[]): void {
    for (const { domain, aside } of lost) {
      if (aside) this.lanes.get(domain)?.noteContended();
      else {
        this.main.noteContended();
        this.mainWindowSize = WINDOW_SIZE;
      }
    }
  }

  /** The hop bears so many connections, and `most` in all with those for attempts that hang. */
  shareConnections(connections: number, most: number): void {
    this.shares.share(connections, most);
  }

  /** Number of attempts that hang and hold up others. */
  stuckCount(): number {
    return this.shares.stuckCount(this.now());
  }

  /** Attempts a second that the hop gets while it throttles or can take nothing; undefined while it takes all. */
  learnedRate(): number | undefined {
    return this.shares.learnedRate(this.now());
  }

  /** Milliseconds since the first delivery of the main lane became due; 0 if none is. */
  async overdueMs(): Promise<number> {
    const dueAt = await this.store.nextDue(0, MAIN_LANE);
    return dueAt === null ? 0 : Math.max(0, this.now() - dueAt);
  }

  /** Admits deliveries that may go now, as many as there is room for. */
  async take(room: Room): Promise<Admitted[]> {
    const taken: Admitted[] = [];
    try {
      // Half of the room is kept for the main lane; of a single place, every other one.
      const half = this.isMainLaneNext ? Math.floor(room.forAny / 2) : Math.ceil(room.forAny / 2);
      const sharesRoom = this.main.length > 0;
      await this.takeFromLanes(taken, new Room(sharesRoom ? half : room.forAny));
      const ofLanes = taken.length;
      await this.takeFromMain(taken, room);
      // What the main lane leaves, because its domains are held up.
      if (sharesRoom) await this.takeFromLanes(taken, new Room(room.forAny));
      if (taken.length > 0) this.isMainLaneNext = ofLanes > 0;
      return taken;
    } catch (error) {
      // Nobody receives these: their places are freed, and the next look finds them again.
      for (const one of taken) this.leave(one, 'cut short');
      this.markStale();
      throw error;
    }
  }

  /**
   * Admits those of the new deliveries that may go now. Priorities other than high are admitted only while nothing waits, because what
   * waits came before them.
   */
  admit(deliveries: DueDelivery[], room: Room): Admitted[] {
    const taken: Admitted[] = [];
    const now = this.now();
    const first = deliveries.filter(isUrgent);
    this.pick(new DueWindow(first), taken, room);
    if (first.length < deliveries.length && this.nothingWaits(now)) {
      const others = deliveries.filter((one) => !isUrgent(one));
      this.pick(new DueWindow(others), taken, room);
    }
    return taken;
  }

  /** An attempt has ended, or did not take place. */
  leave(admitted: Admitted, ending: Ending): void {
    this.admittedKeys.delete(keyTextOf(admitted));
    this.shares.leave(admitted.domain, admitted.enteredAt, this.now(), ending, isUrgent(admitted));
  }

  /** Milliseconds until a delivery may go merely because time passes; undefined if none ever does. */
  async untilNext(): Promise<number | undefined> {
    const now = this.now();
    // The store need not be asked.
    if (this.nothingWaits(now) && this.main.isFresh(now))
      return Math.min(this.main.nextAt, this.earliestPutOff, now + MAX_WINDOW_AGE_MS) - now;
    if (this.earliestPutOff <= now) this.earliestPutOff = Infinity;
    this.main.nextAt = (await this.store.nextDue(this.main.unknownSince(now), MAIN_LANE)) ?? Infinity;
    let next = this.lanes.nextAfter(now);
    for (const domain of this.main.domains()) {
      const ms = this.shares.waitMs(domain, now);
      // What no rate holds up goes when an attempt ends.
      if (ms > 0) next = Math.min(next, now + ms);
    }
    const earliest = Math.min(this.main.nextAt, this.earliestPutOff);
    if (earliest !== Infinity) next = Math.min(next, Math.max(now, earliest));
    return next === Infinity ? undefined : next - now;
  }

  private async takeFromMain(taken: Admitted[], room: Room): Promise<void> {
    const began = this.now();
    // A retry of higher priority may have fallen due: nobody reports that, and another process may have put it off.
    if (this.main.mayBeOvertaken(began)) {
      this.main.takeAll();
      this.mainWindowSize = WINDOW_SIZE;
    }
    for (let limit = this.mainWindowSize; ; limit = Math.min(limit * 2, MAX_PUTTING_ASIDE_WINDOW_SIZE)) {
      if (this.pick(this.main, taken, room)) return;
      const now = this.now();
      // When reads are slow, or mail arrives during each, looking for more would never end, and what was admitted would wait for it.
      if (now - began >= MAX_WINDOW_AGE_MS) return;
      if (this.main.isHeldUp(now) || this.isMainUsedUp(now)) return;
      if (this.main.length >= WINDOW_SIZE / 2) await this.putAside();
      if (this.earliestPutOff <= now) {
        // The read finds it. When the next one falls due is not known.
        this.earliestPutOff = Infinity;
        this.main.nextAt = 0;
      }
      await this.read(this.main, MAIN_LANE, limit);
      this.mainWindowSize = this.main.isWhole ? WINDOW_SIZE : Math.min(this.mainWindowSize * 2, MAX_WINDOW_SIZE);
      if (this.main.length === 0) return;
    }
  }

  /** Serves the lanes in turn: a lane that was served goes to the end. */
  private async takeFromLanes(taken: Admitted[], room: Room): Promise<void> {
    for (const [lane, window] of this.lanes.inTurn(this.now())) {
      if (taken.length >= room.forAny) return;
      if (window.length === 0) {
        await this.read(window, lane, this.lanes.readSize(window, this.now()));
        if (window.length === 0 && !(await this.scheduleOrRemove(lane, window))) continue;
      }
      const before = taken.length;
      this.pick(window, taken, room, true);
      const now = this.now();
      window.heldUntil = now + this.shares.waitMs(lane, now);
      if (taken.length > before) this.lanes.moveToEnd(lane);
    }
  }

  /** Resolves to false if nothing is left in the lane, due or not: the lane is removed. */
  private async scheduleOrRemove(lane: string, window: DueWindow): Promise<boolean> {
    // A delivery that is put off or put aside while the store is asked changes `nextAt`.
    window.nextAt = Infinity;
    const next = await this.store.nextDue(0, lane);
    window.expect(next ?? Infinity);
    if (window.nextAt !== Infinity) return true;
    this.lanes.remove(lane);
    return false;
  }

  /** Takes the deliveries that their domains admit; returns true when there is no room for more. */
  private pick(window: DueWindow, taken: Admitted[], room: Room, aside = false): boolean {
    const enteredAt = this.now();
    return window.sift((one) => {
      if (taken.length >= room.for(one.priority) || this.shares.isHopRateUsedUp(enteredAt)) return 'full';
      // It was taken by `admit` since the window was read.
      if (this.admittedKeys.has(keyTextOf(one))) return 'left';
      if (!this.shares.enter(one.domain, enteredAt, isUrgent(one))) return 'waits';
      this.admittedKeys.add(keyTextOf(one));
      taken.push({ ...one, enteredAt, aside });
      return 'left';
    });
  }

  /** As far as is known here, nothing was due at the last look, and nothing has come or fallen due since. */
  private nothingWaits(now: number): boolean {
    return this.main.isDrained(now) && this.lanes.size === 0 && now < this.earliestPutOff;
  }

  /** Everything that was due in the main lane a moment ago has gone, and nothing is known to have come or fallen due since. */
  private isMainUsedUp(now: number): boolean {
    return this.main.isUsedUp(now) && now < this.earliestPutOff;
  }

  private async read(window: DueWindow, lane: string, limit: number): Promise<void> {
    const now = this.now();
    window.beginRead();
    const found = await this.store.due(limit, now, lane);
    const due = window.isShared ? rotateMostUrgent(found, Math.random()) : found;
    const waiting = due.filter((one) => !this.admittedKeys.has(keyTextOf(one)));
    window.endRead(waiting, found.length < limit, now, limit);
  }

  private async putAside(): Promise<void> {
    const aside = this.main.takeAll();
    await this.store.putAside(aside);
    for (const { domain, priority } of aside) {
      const lane = this.lanes.of(domain);
      lane.noteInserted(priority);
      lane.markStale();
    }
  }
}
