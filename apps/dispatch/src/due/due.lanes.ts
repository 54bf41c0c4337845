import { DueWindow } from './due.window';

/** How many deliveries of a lane are read while it is not known to take its mail quickly. */
const LANE_WINDOW_SIZE = 32;
/** Up to this many are read of a lane that takes its mail quickly. */
const MAX_LANE_WINDOW_SIZE = 256;
/** Windows of many lanes are smaller: together they ask for no more than these, or one each. */
const MAX_READ_AHEAD = 32_768;

/** Lanes of the queue by recipient domain, in the order in which their turn comes. It has no store and no clock: callers pass times. */
export class DueLanes {
  private readonly windows = new Map<string, DueWindow>();

  get size(): number {
    return this.windows.size;
  }

  /** Adds those that are not known yet. */
  add(names: string[]): void {
    for (const name of names) this.of(name);
  }

  /** The lane of that domain, which is made if there is none. */
  of(name: string): DueWindow {
    const window = this.windows.get(name) ?? new DueWindow();
    this.windows.set(name, window);
    return window;
  }

  get(name: string): DueWindow | undefined {
    return this.windows.get(name);
  }

  remove(name: string): void {
    this.windows.delete(name);
  }

  markStale(): void {
    for (const window of this.windows.values()) window.markStale();
  }

  /** The lanes, once each, of which something may go at `now`. One that is served meanwhile is not asked again. */
  *inTurn(now: number): Generator<[name: string, window: DueWindow]> {
    let left = this.windows.size;
    for (const entry of this.windows) {
      if (left === 0) return;
      left -= 1;
      if (entry[1].mayGoAt <= now) yield entry;
    }
  }

  /** Its turn comes after that of all others. */
  moveToEnd(name: string): void {
    const window = this.of(name);
    this.windows.delete(name);
    this.windows.set(name, window);
  }

  /** How many deliveries of the lane to read next. */
  readSize(window: DueWindow, now: number): number {
    const each = Math.max(1, Math.floor(MAX_READ_AHEAD / this.windows.size));
    return window.nextReadSize(Math.min(LANE_WINDOW_SIZE, each), Math.min(MAX_LANE_WINDOW_SIZE, each), now);
  }

  /** When a delivery of some lane may go, of which none may at `now`; Infinity if none ever may merely because time passes. */
  nextAfter(now: number): number {
    let next = Infinity;
    for (const { mayGoAt } of this.windows.values()) if (mayGoAt > now && mayGoAt < next) next = mayGoAt;
    return next;
  }
}
