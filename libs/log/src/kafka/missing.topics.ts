import { OncePer } from '@lettermill/concurrency';
import type { LogLines } from '../log.lines';

/** Milliseconds after which topics that are still missing are reported again. */
const REPEAT_INTERVAL_MS = 10 * 60_000;

/** Tells the operator which topics are missing (as the brokers name them), and when they exist again. */
export function missingTopicsReporter(lines: LogLines, now: () => number): (missing: string[]) => void {
  const once = new OncePer(REPEAT_INTERVAL_MS, now);
  let reported = '';
  return (missing) => {
    const topics = missing.join(', ');
    if (topics === '') {
      // A warning, so that an operator who saw the error at LOG_LEVEL=warn also sees that it is over.
      if (once.hasPassed) lines.warn({ topics: reported }, 'the brokers have all topics again');
      once.clear();
      return;
    }
    if (!once.passes(topics)) return;
    reported = topics;
    lines.error({ topics }, missingTopicsText(missing));
  };
}

export function missingTopicsText(missing: string[]): string {
  return `the brokers have no topic ${missing.join(', ')}: docs/monitoring.md, «Topics that are gone», says what to do`;
}
