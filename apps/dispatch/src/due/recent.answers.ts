import type { HopState } from '../lifecycle/delivery';

/** The last answers that are considered, and for how long. */
const SAMPLE_SIZE = 24;
const SAMPLE_AGE_MS = 60_000;

/** How the hop answered an attempt that began at `begun`; times are milliseconds. */
export interface HopAnswer {
  domain: string;
  /** What it says about the hop; undefined if the hop took or refused the mail for its own sake. */
  hop: HopState | undefined;
  begun: number;
  at: number;
}

/** How many were put off, and which part of them all that is. */
interface Part {
  count: number;
  share: number;
}

/** The hop's last answers: how many mails it put off, and whose. It has no clock: callers pass times, in milliseconds. */
export class RecentAnswers {
  private answers: HopAnswer[] = [];

  add(answer: HopAnswer): void {
    this.answers.push(answer);
    if (this.answers.length > SAMPLE_SIZE) this.answers.shift();
  }

  clear(): void {
    this.answers = [];
  }

  get size(): number {
    return this.answers.length;
  }

  /** Those for which the hop said that we send too fast. */
  throttled(now: number): Part {
    return this.part(now, ({ hop }) => hop === 'throttling');
  }

  /** Those, and others that it could not take. */
  putOff(now: number): Part {
    return this.part(now, ({ hop }) => hop !== undefined);
  }

  /** Whether it may be one domain alone that is put off: it may have a limit of its own. */
  areOfOneDomain(now: number): boolean {
    const recent = this.recent(now);
    const putOff = recent.filter(({ hop }) => hop !== undefined);
    return domainsOf(putOff).size < 2 && domainsOf(recent).size > 2;
  }

  private part(now: number, counts: (answer: HopAnswer) => boolean): Part {
    const recent = this.recent(now);
    const count = recent.filter(counts).length;
    return { count, share: count / Math.max(1, recent.length) };
  }

  private recent(now: number): HopAnswer[] {
    return this.answers.filter(({ at }) => Math.abs(now - at) <= SAMPLE_AGE_MS);
  }
}

function domainsOf(answers: HopAnswer[]): Set<string> {
  return new Set(answers.map(({ domain }) => domain));
}
