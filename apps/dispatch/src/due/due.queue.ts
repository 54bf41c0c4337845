import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, CONFIG, type Clock, type Config } from '@lettermill/runtime';
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
import { DueWindow, FRESH_MS } from './due.window';
import { elsewhere } from './elsewhere';
import { Room } from './room';

/** This much of the queue is in memory: keys, in the order in which they go. */
export const WINDOW = 256;
/** Of a long queue that goes in order, up to this much: each reading costs a store more than what it answers. */
const WINDOW_OF_LONG = 1_024;
const WINDOW_OF_LANE = 32;
/** Of the lane of a domain that takes its mail quickly, up to this much. */
const WINDOW_OF_LONG_LANE = 256;
/** While a domain is put aside, this much. */
const WIDEST = 2_048;

/** One that may go; its place in the share of its domain is taken. */
export interface Admitted extends DueDelivery {
  enteredAt: number;
  /** It waited in the lane of its domain, and does so again where it is put off. */
  aside: boolean;
}

const nameOf = ({ accountId, messageId }: DueDelivery): string => `${accountId} ${messageId}`;

/**
 * What is due, in the order in which it goes. Messages of a domain that is at its bound make way: when they fill half of the least window
 * they are put aside into a lane of their own, each of them once, so that however many they are nobody reads over them again.
 */
@Injectable()
export class DueQueue {
  private readonly shares: DomainShares;
  private readonly retryDelays: readonly number[];
  /** What the clock said last. What it said before the start nobody knows. */
  private lastTime = Infinity;
  private readonly main = new DueWindow();
  /** How much of it is read next. */
  private size = WINDOW;
  private readonly lanes = new Map<string, DueWindow>();
  /** Lanes were served last. */
  private mainNext = false;
  /** When the first of those falls due that were put off since it was looked at last. */
  private putOffTo = Infinity;
  /** Names of those that were admitted and have not left. */
  private readonly going = new Set<string>();

  constructor(
    @Inject(DELIVERY_STORE) private readonly store: DeliveryQueue,
    @Inject(CONFIG) config: Config,
    @Inject(CLOCK) private readonly now: Clock,
  ) {
    this.shares = new DomainShares(config.sending);
    this.retryDelays = config.retryDelays;
  }

  /** Lanes that others made, or a process before us. */
  async findLanes(): Promise<void> {
    for (const lane of await this.store.lanes()) if (!this.lanes.has(lane)) this.lanes.set(lane, new DueWindow());
  }

  /** When the clock was set back, what was due before is due. */
  async followClock(): Promise<void> {
    const now = this.now();
    if (now < this.lastTime) {
      await this.store.recall(recallAt(now, this.retryDelays));
      this.stale();
    }
    this.lastTime = now;
  }

  /** New mail is in the store; `rank` is the first of its priorities. */
  inserted(rank: PriorityRank): void {
    if (this.main.inserted(rank)) this.size = WINDOW;
  }

  /** Time has passed, or something was given back: all is read again. */
  stale(): void {
    for (const window of [this.main, ...this.lanes.values()]) window.stale();
    this.putOffTo = Infinity;
  }

  /** It will be due again then. */
  putOff({ domain, aside }: Admitted, dueAt: number): void {
    this.putOffTo = Math.min(this.putOffTo, dueAt);
    if (aside) this.laneOf(domain).expect(dueAt);
  }

  /** Others claimed these from the same place. */
  contended(lost: Admitted[]): void {
    for (const { domain, aside } of lost) {
      if (aside) this.lanes.get(domain)?.contended();
      else {
        this.main.contended();
        this.size = WINDOW;
      }
    }
  }

  /** Attempts that stand in the way of others. */
  stuck(): number {
    return this.shares.stuck(this.now());
  }

  /** Those that may go now, as many as there is room for. */
  async take(room: Room): Promise<Admitted[]> {
    const taken: Admitted[] = [];
    try {
      // Half of it is kept for those that wait in no lane; of a single place every other one.
      const half = this.mainNext ? Math.floor(room.forAny / 2) : Math.ceil(room.forAny / 2);
      await this.fromLanes(taken, new Room(this.main.length > 0 ? half : room.forAny));
      const ofLanes = taken.length;
      await this.fromMain(taken, room);
      if (taken.length > 0) this.mainNext = ofLanes > 0;
      return taken;
    } catch (error) {
      // Nobody gets them: their places are free again, and they are found by the next look.
      for (const one of taken) this.leave(one, 'cut short');
      this.stale();
      throw error;
    }
  }

  /** Of those that have just come in, those that may go now; those not of high priority only while nothing waits: it came before them. */
  admit(deliveries: DueDelivery[], room: Room): Admitted[] {
    const taken: Admitted[] = [];
    const now = this.now();
    const first = deliveries.filter(({ priority }) => priority === PRIORITIES.high);
    this.pick(new DueWindow(first), taken, room);
    if (first.length < deliveries.length && this.nothingWaits(now)) {
      const others = deliveries.filter(({ priority }) => priority !== PRIORITIES.high);
      this.pick(new DueWindow(others), taken, room);
    }
    return taken;
  }

  /** An attempt is over, or came to nothing. */
  leave(admitted: Admitted, ending: Ending): void {
    this.going.delete(nameOf(admitted));
    this.shares.leave(admitted.domain, admitted.enteredAt, this.now(), ending);
  }

  /** Milliseconds until time alone makes another one due; undefined when it never does. */
  async untilNext(): Promise<number | undefined> {
    const now = this.now();
    if (this.nothingNew(now)) return Math.min(this.main.nextAt, this.putOffTo, now + FRESH_MS) - now;
    if (this.putOffTo <= now) this.putOffTo = Infinity;
    this.main.nextAt = (await this.store.nextDue(this.main.unknownSince(now), MAIN_LANE)) ?? Infinity;
    const next = Math.min(this.main.nextAt, this.putOffTo);
    const times = [...this.lanes.values()].map(({ nextAt }) => nextAt).filter((at) => at > now);
    if (next !== Infinity) times.push(Math.max(now, next));
    const waits = times.map((at) => at - now);
    const rate = this.shares.wait(now);
    if (rate !== undefined) waits.push(rate);
    return waits.length > 0 ? Math.min(...waits) : undefined;
  }

  private async fromMain(taken: Admitted[], room: Room): Promise<void> {
    for (let size = this.size; ; size = Math.min(size * 2, WIDEST)) {
      if (this.pick(this.main, taken, room)) return;
      const now = this.now();
      if (this.main.isHeldUp(now) || this.nothingNew(now)) return;
      if (this.main.length >= WINDOW / 2) await this.putAside();
      await this.read(this.main, MAIN_LANE, size);
      this.size = this.main.isWhole ? WINDOW : Math.min(this.size * 2, WINDOW_OF_LONG);
      if (this.main.length === 0) return;
    }
  }

  /** The lanes in turn: the one that was served goes to the end. */
  private async fromLanes(taken: Admitted[], room: Room): Promise<void> {
    for (const [lane, window] of [...this.lanes]) {
      if (taken.length >= room.forAny) return;
      if (window.length === 0 && this.now() >= window.nextAt) {
        await this.read(window, lane, window.sizeNext(WINDOW_OF_LANE, WINDOW_OF_LONG_LANE, this.now()));
        if (window.length === 0 && !(await this.sleep(lane, window))) continue;
      }
      const before = taken.length;
      this.pick(window, taken, room, true);
      if (taken.length > before) {
        this.lanes.delete(lane);
        this.lanes.set(lane, window);
      }
    }
  }

  /** False when nothing is left in the lane, due or not: it is none any more. */
  private async sleep(lane: string, window: DueWindow): Promise<boolean> {
    // What is put off or put aside while the store is asked says so here.
    window.nextAt = Infinity;
    const next = await this.store.nextDue(0, lane);
    if (next === null && window.nextAt === Infinity) return !this.lanes.delete(lane);
    window.expect(next ?? Infinity);
    return true;
  }

  /** Takes those that their domains admit; true when there is no room for more. */
  private pick(window: DueWindow, taken: Admitted[], room: Room, aside = false): boolean {
    const enteredAt = this.now();
    return window.sift((one) => {
      if (taken.length >= room.for(one.priority) || this.shares.closed(enteredAt)) return 'full';
      // Since the window was read somebody who was in a hurry took it.
      if (this.going.has(nameOf(one))) return 'left';
      if (!this.shares.enter(one.domain, enteredAt)) return 'waits';
      this.going.add(nameOf(one));
      taken.push({ ...one, enteredAt, aside });
      return 'left';
    });
  }

  /** All that was due has gone, nothing came since, and the next is not due yet: the store need not be asked. */
  private nothingNew(now: number): boolean {
    return this.nothingWaits(now) && this.main.isFresh(now);
  }

  /** As far as is known here: nothing was due when it was looked at last, and nothing has come or fallen due since. */
  private nothingWaits(now: number): boolean {
    return this.main.isOver(now) && this.lanes.size === 0 && now < this.putOffTo;
  }

  private async read(window: DueWindow, lane: string, limit: number): Promise<void> {
    const now = this.now();
    window.begin();
    const found = await this.store.due(limit, now, lane);
    const due = window.isShared ? elsewhere(found, Math.random()) : found;
    const waiting = due.filter((one) => !this.going.has(nameOf(one)));
    window.read(waiting, found.length < limit, now, limit);
  }

  private async putAside(): Promise<void> {
    const aside = this.main.takeAll();
    await this.store.putAside(aside);
    for (const { domain, priority } of aside) {
      const lane = this.laneOf(domain);
      lane.inserted(priority);
      lane.stale();
    }
  }

  private laneOf(domain: string): DueWindow {
    const lane = this.lanes.get(domain) ?? new DueWindow();
    this.lanes.set(domain, lane);
    return lane;
  }
}
