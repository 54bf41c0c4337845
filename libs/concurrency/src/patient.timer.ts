const PARTS = 10;

/**
 * Calls `late` after `ms`, of which a time that the event loop was held up counts for a tenth at most: timers come before what the network
 * brought, so that a plain one would call late what is there and was not yet seen. Answers what ends it.
 */
export function patientTimer(ms: number, late: () => void): () => void {
  let left = PARTS;
  const timer = setInterval(() => {
    left -= 1;
    if (left > 0) return;
    clearInterval(timer);
    late();
  }, ms / PARTS);
  return () => clearInterval(timer);
}
