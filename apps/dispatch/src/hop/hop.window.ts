/** The number of connections to begin with, if nothing was heard of the hop lately. */
const INITIAL_SIZE = 2;
/** Longer than any answer may take, so that a slow hop is not forgotten in the meantime. */
const FORGET_AFTER_MS = 15 * 60_000;
/** After the hop said that it was too much, no more connections are tried for this long. */
const REST_MS = 30_000;
/**
 * After it refused a connection in addition to others, for this long; twice as long each time that it does so again. A hop at its limit
 * always does; if one of several servers behind an address is down, only some connections are refused. So the first time nothing is learned.
 */
const FIRST_REST_MS = 1_000;

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
  /** For how long no more are tried from then on. */
  readonly restMs: number;
  /** Connections refused beyond those that were open, in succession; those at a time count once. */
  readonly refusals: number;
  /** How many were open at the last of these refusals, or carried mails together since. */
  readonly bears: number;
  /** The same at the refusal before. */
  readonly boreBefore: number;
  /** How many there may be while it rests, at most. */
  readonly bound: number;
}

/** Connections besides one. */
export interface Standing {
  open: number;
  /** Those being opened. */
  opening: number;
}

export function newWindow(maxSize: number): HopWindow {
  const size = Math.min(INITIAL_SIZE, maxSize);
  return {
    most: maxSize,
    size,
    doublesTo: maxSize,
    heardAt: -Infinity,
    pressedAt: -Infinity,
    restMs: 0,
    refusals: 0,
    bears: maxSize,
    boreBefore: maxSize,
    bound: maxSize,
  };
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
  if (isKnown(window, began, now)) return window;
  const size = half(window, now);
  return {
    ...currentWindow(window, now),
    size,
    doublesTo: size,
    heardAt: now,
    pressedAt: now,
    restMs: REST_MS,
    refusals: 0,
    bears: window.most,
    bound: window.most,
  };
}

/** The hop refused a connection that was to be the only one. */
export function refuseWindow(window: HopWindow, began: number, now: number): HopWindow {
  if (isKnown(window, began, now)) return window;
  const size = half(window, now);
  return { ...resting(window, window.refusals, now), size, doublesTo: size, bears: size, bound: size };
}

/**
 * The hop refused a connection in addition to those that are `open`, while others were `opening`: no more are tried for now, and if it was
 * not the first time, it bears no more.
 */
export function capWindow(window: HopWindow, { open, opening }: Standing, began: number, now: number): HopWindow {
  const all = Math.max(1, open + opening);
  const bound = isResting(window, now) ? Math.min(all, window.bound) : all;
  if (isKnown(window, began, now)) return boundTo(bound, window, now);
  // If fewer were open than the hop bears, the refused one was to take the place of another: the count begins anew.
  const earlier = open >= window.bears ? window.refusals : 0;
  return boundTo(bound, { ...resting(window, earlier, now), bears: open, boreBefore: window.bears }, now);
}

/**
 * A connection that we began to open at `began` carried its first mail, and `standing` carry mails now. If that is more than when another
 * one was refused, the hop bears more; if it was being opened at that time, more than at the refusal before.
 */
export function carryingWindow(window: HopWindow, standing: number, began: number): HopWindow {
  const { refusals, most, pressedAt, boreBefore } = window;
  const bears = Math.max(window.bears, standing);
  if (refusals === 0 || bears === window.bears) return window;
  if (began > pressedAt) return { ...window, refusals: 0, bears: most, boreBefore: most, bound: most, doublesTo: most };
  if (refusals === 1 || standing <= boreBefore) return { ...window, bears };
  return { ...window, bears, refusals: 1, restMs: FIRST_REST_MS, doublesTo: most };
}

/** The hop refused a connection beyond as many as there are, and was not seen to bear more since. */
export function isTight({ refusals }: HopWindow): boolean {
  return refusals > 0;
}

export function connectionsOf(window: HopWindow, now: number): number {
  const { size } = currentWindow(window, now);
  return Math.floor(isResting(window, now) ? Math.min(size, window.bound) : size);
}

/** How many there may be if `extra` are allowed in addition: none while it rests, except those that the hop bore when it refused one. */
export function connectionsWith(extra: number, window: HopWindow, now: number): number {
  const size = connectionsOf(window, now);
  if (!isResting(window, now)) return size + extra;
  return window.refusals > 0 ? Math.min(size + extra, Math.max(size, window.bound)) : size;
}

/**
 * How many there may be if as many again are allowed in addition. A hop that refused one more, and again, is taken to bear no more than it
 * did then, until it is seen to.
 */
export function mostConnections(window: HopWindow, now: number): number {
  const all = connectionsWith(connectionsOf(window, now), window, now);
  return window.refusals > 1 ? Math.max(1, Math.min(all, window.bears)) : all;
}

/** The hop said lately that it was too much: no more connections are tried. */
export function isResting(window: HopWindow, now: number): boolean {
  return restLeft(window, now) > 0;
}

/** Milliseconds; not positive if it does not rest. */
export function restLeft({ pressedAt, restMs }: HopWindow, now: number): number {
  return now >= pressedAt ? restMs - (now - pressedAt) : 0;
}

/** What began before the hop was last found to be at its limit tells nothing new. */
function isKnown({ pressedAt }: HopWindow, began: number, now: number): boolean {
  return began <= pressedAt && now >= pressedAt;
}

function half(window: HopWindow, now: number): number {
  return Math.max(1, Math.floor(connectionsOf(window, now) / 2));
}

/** After `earlier` refusals in succession, there is another one. */
function resting(window: HopWindow, earlier: number, now: number): HopWindow {
  const rest = Math.min(FIRST_REST_MS * 2 ** earlier, REST_MS);
  return {
    ...currentWindow(window, now),
    heardAt: now,
    pressedAt: now,
    restMs: Math.max(rest, restLeft(window, now)),
    refusals: earlier + 1,
  };
}

function boundTo(bound: number, window: HopWindow, now: number): HopWindow {
  if (window.refusals < 2) return { ...window, bound };
  const size = Math.min(bound, currentWindow(window, now).size);
  return { ...window, bound, size, doublesTo: size };
}

/** Forgets what was learned too long ago. */
function currentWindow(window: HopWindow, now: number): HopWindow {
  return now - window.heardAt > FORGET_AFTER_MS
    ? { ...newWindow(window.most), pressedAt: window.pressedAt, restMs: window.restMs }
    : window;
}
