import type { AnyEvent } from '@lettermill/events';
import { Histogram } from 'prom-client';

const queuedSeconds = new Histogram({
  name: 'lettermill_message_queued_seconds',
  help: 'Time from the acceptance of a message until its mail was rendered and queued',
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200],
});

/**
 * Observes mails that have just been appended to the log. The clocks of two machines may differ by more than a message takes, hence the
 * max.
 */
export function observeQueuedMails(events: AnyEvent[], now: number): void {
  for (const { type, data } of events) {
    if (type === 'MessageQueued') queuedSeconds.observe(Math.max(now - Date.parse(data.mail.date), 0) / 1000);
  }
}
