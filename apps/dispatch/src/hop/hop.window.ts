/** The number of connections to begin with, if nothing was heard of the hop lately. */
const INITIAL_SIZE = 2;
/** Longer than any answer may take, so that a slow hop is not forgotten in the meantime. */
const FORGET_AFTER_MS = 15 * 60_000;
/** After the hop said that it was too much, no more connections are tried for this long. */
const GROWTH_PAUSE_MS = 30_000;

/**
 * How many connections the hop is assumed to bear, found out as TCP does for a network: the number doubles with each round of mails up to
 * where it was too much before, then grows by one a round; when the hop says that it is too much, it is halved. It is never less than one
 * or more than allowed. Times are milliseconds; times in the future, after the clock was set back, are ignored.
 */
export interface HopWindow {
  readonly most: number;
  /** Only its whole part counts; the fraction is progress towards the next connection. */
  readonly size: number;
  /** Below this size the window doubles with each round. */
  readonly doublesTo: number;
  readonly heardAt: number;
  readonly pressedAt: number;
}

export function newWindow(maxSize: number): HopWindow {
  const size = Math.min(INITIAL_SIZE, maxSize);
  return { most: maxSize, size, doublesTo: maxSize, heardAt: -Infinity, pressedAt: -Infinity };
}

/** The hop accepted a sender's mail: it bears the connections that are open. */
export function growWindow(window: HopWindow, now: number): HopWindow {
  const { most, size, doublesTo } = currentWindow(window, now);
  const step = size < doublesTo ? 1 : 1 / Math.floor(size);
  const grown = isResting(window, now) ? size : Math.min(size + step, most);
  return { ...window, size: grown, doublesTo, heardAt: now };
}

/** The hop said that it was too much. An attempt that began before the last such reply tells nothing new. */
export function halveWindow(window: HopWindow, began: number, now: number): HopWindow {
  if (began <= window.pressedAt && now >= window.pressedAt) return window;
  const size = Math.max(1, Math.floor(currentWindow(window, now).size / 2));
  return { ...window, size, doublesTo: size, heardAt: now, pressedAt: now };
}

/** The hop refused a connection in addition to those that are open: it bears these, and no more for now. */
export function capWindow(window: HopWindow, standing: number, now: number): HopWindow {
  const size = Math.min(Math.max(1, standing), currentWindow(window, now).size);
  return { ...window, size, doublesTo: size, heardAt: now, pressedAt: now };
}

export function connectionsOf(window: HopWindow, now: number): number {
  return Math.floor(currentWindow(window, now).size);
}

/** The hop said lately that it was too much: no more connections are tried. */
export function isResting({ pressedAt }: HopWindow, now: number): boolean {
  return now >= pressedAt && now - pressedAt < GROWTH_PAUSE_MS;
}

/** Forgets what was learned too long ago. */
function currentWindow(window: HopWindow, now: number): HopWindow {
  return now - window.heardAt > FORGET_AFTER_MS ? { ...newWindow(window.most), pressedAt: window.pressedAt } : window;
}
