import type { LogLines } from '../log.lines';

/** Milliseconds after which topics that are still missing are reported again. */
const AGAIN_MS = 10 * 60_000;

/** Tells the operator which topics are missing (as the brokers name them), and when they exist again. */
export function topicNews(lines: LogLines, now: () => number): (missing: string[]) => void {
  let told: { topics: string; at: number } | undefined;
  return (missing) => {
    const topics = missing.join(', ');
    if (topics === '') {
      // A warning, so that an operator who saw the error at LOG_LEVEL=warn also sees that it is over.
      if (told) lines.warn({ topics: told.topics }, 'the brokers have all topics again');
      told = undefined;
      return;
    }
    const at = now();
    if (told?.topics === topics && at >= told.at && at < told.at + AGAIN_MS) return;
    told = { topics, at };
    lines.error({ topics }, goneText(missing));
  };
}

export function goneText(missing: string[]): string {
  return `the brokers have no topic ${missing.join(', ')}: docs/monitoring.md, «Topics that are gone», says what to do`;
}
