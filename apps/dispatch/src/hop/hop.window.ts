/** With so many connections a hop begins that was not heard of lately. */
const FIRST = 2;
/** Longer than any answer may take: a hop that is slow is not forgotten over it. */
const LATELY_MS = 15 * 60_000;
/** Whoever was told that it was too much does not try more before. */
const REST_MS = 30_000;

/**
 * How many connections the hop is thought to bear, as TCP finds out about a network: the number doubles with each round of mails up to
 * where it was too much before, then it grows by one a round; when the hop says that it is too much, it is halved. Never less
 * than one, never more than is allowed. Times are milliseconds; what lies in the future, after the clock was set back, is forgotten.
 */
export interface HopWindow {
  readonly most: number;
  /** Whole ones count; what is over them is on its way to the next. */
  readonly size: number;
  /** Below it the window doubles. */
  readonly doublesTo: number;
  readonly heardAt: number;
  readonly pressedAt: number;
}

export function newWindow(most: number): HopWindow {
  const size = Math.min(FIRST, most);
  return { most, size, doublesTo: most, heardAt: -Infinity, pressedAt: -Infinity };
}

/** The hop took a sender's mail: it bears what stands. */
export function borne(window: HopWindow, now: number): HopWindow {
  const { most, size, doublesTo } = current(window, now);
  const step = size < doublesTo ? 1 : 1 / Math.floor(size);
  const grown = resting(window, now) ? size : Math.min(size + step, most);
  return { ...window, size: grown, doublesTo, heardAt: now };
}

/** The hop said that it was too much. What began before it last said so tells nothing new. */
export function pressed(window: HopWindow, began: number, now: number): HopWindow {
  if (began <= window.pressedAt && now >= window.pressedAt) return window;
  const size = Math.max(1, Math.floor(current(window, now).size / 2));
  return { ...window, size, doublesTo: size, heardAt: now, pressedAt: now };
}

/** The hop refused one more beside those that stand: it bears these, and no more for now. */
export function filled(window: HopWindow, standing: number, now: number): HopWindow {
  const size = Math.min(Math.max(1, standing), current(window, now).size);
  return { ...window, size, doublesTo: size, heardAt: now, pressedAt: now };
}

export function connectionsOf(window: HopWindow, now: number): number {
  return Math.floor(current(window, now).size);
}

/** It was told lately that it is too much: nobody asks for more. */
export function resting({ pressedAt }: HopWindow, now: number): boolean {
  return now >= pressedAt && now - pressedAt < REST_MS;
}

/** What was known long ago holds no longer. */
function current(window: HopWindow, now: number): HopWindow {
  return now - window.heardAt > LATELY_MS ? { ...newWindow(window.most), pressedAt: window.pressedAt } : window;
}
