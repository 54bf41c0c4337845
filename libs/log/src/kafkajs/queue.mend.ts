import type { InnerQueue } from 'kafkajs/src/network/requestQueue/index.js';

/** As kafkajs has it. */
const QUEUE_CHECK_DELAY_MS = 10;

/**
 * kafkajs 2.2.4 sets a timer after every answer, with a time long past unless a broker throttles it; newer Node
 * versions print a TimeoutNegativeWarning for that. An empty queue needs no timer.
 */
export function mendQueue(queue: InnerQueue): void {
  queue.scheduleCheckPendingRequests = function (this: InnerQueue): void {
    if (this.throttleCheckTimeoutId !== null || this.pending.length === 0) return;
    const throttledMs = this.throttledUntil - Date.now();
    this.throttleCheckTimeoutId = setTimeout(
      () => {
        this.throttleCheckTimeoutId = null;
        this.checkPendingRequests();
      },
      throttledMs > 0 ? throttledMs : QUEUE_CHECK_DELAY_MS,
    );
  };
}
