import type { LogLines } from '../log.lines';

/** Milliseconds after which topics that are still missing are reported again. */
const REPEAT_INTERVAL_MS = 10 * 60_000;

/** Tells the operator which topics are missing (as the brokers name them), and when they exist again. */
export function missingTopicsReporter(lines: LogLines, now: () => number): (missing: string[]) => void {
  let reported: { topics: string; at: number } | undefined;
  return (missing) => {
    const topics = missing.join(', ');
    if (topics === '') {
      // A warning, so that an operator who saw the error at LOG_LEVEL=warn also sees that it is over.
      if (reported) lines.warn({ topics: reported.topics }, 'the brokers have all topics again');
      reported = undefined;
      return;
    }
    const at = now();
    if (reported?.topics === topics && at >= reported.at && at < reported.at + REPEAT_INTERVAL_MS) return;
    reported = { topics, at };
    lines.error({ topics }, missingTopicsText(missing));
  };
}

export function missingTopicsText(missing: string[]): string {
  return `the brokers have no topic ${missing.join(', ')}: docs/monitoring.md, «Topics that are gone», says what to do`;
}
