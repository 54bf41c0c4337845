export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** A process may never live for an hour, so the first run is soon; not at once, because a start has enough to do. */
const FIRST_AFTER_MS = 5 * 60_000;

/** Calls `work` after `firstMs`, then every hour. It keeps no process alive. Returns a function that stops it. */
export function everyHour(work: () => void, firstMs = FIRST_AFTER_MS): () => void {
  let timer = setTimeout(() => {
    timer = setInterval(work, HOUR_MS).unref();
    work();
  }, firstMs).unref();
  return () => clearTimeout(timer);
}
