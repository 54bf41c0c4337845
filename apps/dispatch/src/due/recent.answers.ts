/** The last answers that are considered, and for how long. */
const SAMPLE_SIZE = 24;
const SAMPLE_AGE_MS = 60_000;

interface Answer {
  domain: string;
  throttled: boolean;
  at: number;
}

/** The hop's last answers: how many of them throttled us, and whose mail that was. It has no clock: callers pass times, in milliseconds. */
export class RecentAnswers {
  private answers: Answer[] = [];

  add(domain: string, throttled: boolean, at: number): void {
    this.answers.push({ domain, throttled, at });
    if (this.answers.length > SAMPLE_SIZE) this.answers.shift();
  }

  clear(): void {
    this.answers = [];
  }

  get size(): number {
    return this.answers.length;
  }

  /** How many were throttled, and which part of them all that is. */
  throttled(now: number): { count: number; share: number } {
    const recent = this.recent(now);
    const count = recent.filter(({ throttled }) => throttled).length;
    return { count, share: count / Math.max(1, recent.length) };
  }

  /** Whether it may be one domain alone that is throttled: it may have a limit of its own. */
  areOfOneDomain(now: number): boolean {
    const recent = this.recent(now);
    const throttled = recent.filter((answer) => answer.throttled);
    return domainsOf(throttled).size < 2 && domainsOf(recent).size > 2;
  }

  private recent(now: number): Answer[] {
    return this.answers.filter(({ at }) => Math.abs(now - at) <= SAMPLE_AGE_MS);
  }
}

function domainsOf(answers: Answer[]): Set<string> {
  return new Set(answers.map(({ domain }) => domain));
}
