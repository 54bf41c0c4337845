const TICKS = 10;

/**
 * Calls `onTimeout` after `ms`. Time during which the event loop is blocked counts for a tenth of it at most: timers run
 * before network events, so a plain timer would report as late what has arrived but was not read yet. Returns a
 * function that cancels the timer.
 */
export function stallTolerantTimer(ms: number, onTimeout: () => void): () => void {
  let left = TICKS;
  const timer = setInterval(() => {
    left -= 1;
    if (left > 0) return;
    clearInterval(timer);
    onTimeout();
  }, ms / TICKS);
  return () => clearInterval(timer);
}
