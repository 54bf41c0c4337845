import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { RenderJob } from './render.job';

const MOST_KNOWN = 10_000;
/** Least time that a message is given, as a part of the usual. */
const LEAST_SHARE = 1 / 16;
/** Threads that a template may bring to a stop before its messages are refused untried. */
const STOPS = 3;
/** And those of one campaign, one after the other, before any of its messages is. */
const STOPS_OF_CAMPAIGN = 10;
const REFUSED_MS = 30_000;

type Sources = Pick<RenderJob, 'subject' | 'text' | 'html' | 'campaign'>;

interface Known {
  /** How often it ran out of time, one after the other. */
  ranOut: number;
  /** How often a thread had to be ended for it. */
  stops: number;
  lastStop: number;
}

/**
 * Templates that used up the time of their messages. One that is slow for everybody would hold up all mail for as long as it has
 * recipients: each of its messages gets half the time of the one before, and once it has stopped threads again and again it is
 * not tried for a while. So is a campaign whose messages bring templates of their own, no two of them the same. A message that is
 * rendered in time clears its template and its campaign.
 */
export class SlowTemplates {
  private readonly known = new LRUCache<string, Known>({ max: MOST_KNOWN });
  /** Messages of one template come one after the other: the key of the last one is made once. */
  private last: { of: Sources; key: string } | undefined;

  constructor(
    private readonly usualMs: number,
    private readonly now = () => performance.now(),
  ) {}

  /** Whether there is anything to ask about: keys take time. */
  get any(): boolean {
    return this.known.size > 0;
  }

  knows(job: Sources): boolean {
    return this.keysOf(job).some((key) => this.known.has(key));
  }

  suspect(job: Sources): void {
    this.recordsOf(job);
  }

  ranOut(job: Sources): void {
    for (const record of this.recordsOf(job)) record.ranOut += 1;
  }

  stopped(job: Sources): void {
    for (const record of this.recordsOf(job)) {
      record.stops += 1;
      record.lastStop = this.now();
    }
  }

  clear(job: Sources): void {
    for (const key of this.keysOf(job)) this.known.delete(key);
  }

  messageMs(job: Sources): number {
    const ranOut = Math.max(...this.keysOf(job).map((key) => this.known.get(key)?.ranOut ?? 0));
    return Math.round(this.usualMs * Math.max(LEAST_SHARE, 1 / 2 ** ranOut));
  }

  /** After a while one is tried again; it decides about the others. */
  isRefused(job: Sources): boolean {
    const [template, campaign] = this.keysOf(job).map((key) => this.known.get(key));
    return this.refuses(template, STOPS) || this.refuses(campaign, STOPS_OF_CAMPAIGN);
  }

  private refuses(record: Known | undefined, stops: number): boolean {
    return record !== undefined && record.stops >= stops && this.now() - record.lastStop < REFUSED_MS;
  }

  private recordsOf(job: Sources): Known[] {
    return this.keysOf(job).map((key) => {
      let record = this.known.get(key);
      if (!record) this.known.set(key, (record = { ranOut: 0, stops: 0, lastStop: 0 }));
      return record;
    });
  }

  /** Of its template, and of its campaign where that is told. */
  private keysOf(job: Sources): string[] {
    return job.campaign === undefined ? [this.keyOf(job)] : [this.keyOf(job), `campaign ${job.campaign}`];
  }

  private keyOf({ subject = '', text = '', html = '' }: Sources): string {
    const { of } = this.last ?? {};
    if (!of || of.subject !== subject || of.text !== text || of.html !== html) {
      this.last = { of: { subject, text, html }, key: hash('sha256', `${subject}\0${text}\0${html}`, 'base64') };
    }
    return this.last!.key;
  }
}
