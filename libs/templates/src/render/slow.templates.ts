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
/** And those of one account in a minute, whichever of its messages went well between, before templates that never did are not tried. */
const STOPS_OF_ACCOUNT = 10;
const MINUTE_MS = 60_000;
const WELL = -Infinity;

type Sources = Pick<RenderJob, 'subject' | 'text' | 'html' | 'campaign' | 'account'>;

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
 * rendered in time clears its template and its campaign. Its account it does not: who mixes what hangs with what does not is known by that.
 */
export class SlowTemplates {
  private readonly known = new LRUCache<string, Known>({ max: MOST_KNOWN });
  /** When the last threads were stopped for each account. */
  private readonly stopsOf = new LRUCache<string, number[]>({ max: MOST_KNOWN });
  /** When a thread was stopped for a template last; `WELL` where it went well since, or never had one stopped. */
  private readonly stoppedAt = new LRUCache<string, number>({ max: MOST_KNOWN });
  private lastStop = -Infinity;
  /** Messages of one template come one after the other: the key of the last one is made once. */
  private last: { of: Sources; key: string } | undefined;

  constructor(
    private readonly usualMs: number,
    private readonly now = () => performance.now(),
  ) {}

  /** Whether there is anything to ask about: keys take time. */
  get any(): boolean {
    return this.known.size > 0 || this.now() - this.lastStop < MINUTE_MS;
  }

  knows(job: Sources): boolean {
    return this.keysOf(job).some((key) => this.known.has(key)) || this.isOverdrawn(job);
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
    this.lastStop = this.now();
    this.stoppedAt.set(this.keyOf(job), this.lastStop);
    if (job.account === undefined) return;
    const before = this.stopsOf.get(job.account) ?? [];
    this.stopsOf.set(job.account, [...before, this.lastStop].slice(-STOPS_OF_ACCOUNT));
  }

  /** It was rendered in time. One for which a thread was stopped lately has still to show it. */
  rendered(job: Sources): void {
    const key = this.keyOf(job);
    if (this.now() - (this.stoppedAt.get(key) ?? WELL) >= MINUTE_MS) this.stoppedAt.set(key, WELL);
  }

  clear(job: Sources): void {
    for (const key of this.keysOf(job)) this.known.delete(key);
    this.rendered(job);
  }

  messageMs(job: Sources): number {
    const ranOut = Math.max(...this.keysOf(job).map((key) => this.known.get(key)?.ranOut ?? 0));
    return Math.round(this.usualMs * Math.max(LEAST_SHARE, 1 / 2 ** ranOut));
  }

  /** After a while one is tried again; it decides about the others. */
  isRefused(job: Sources): boolean {
    const [template, campaign] = this.keysOf(job).map((key) => this.known.get(key));
    return this.refuses(template, STOPS) || this.refuses(campaign, STOPS_OF_CAMPAIGN) || this.isOverdrawn(job);
  }

  private isOverdrawn(job: Sources): boolean {
    const stops = job.account === undefined ? undefined : this.stopsOf.get(job.account);
    if (stops === undefined || stops.length < STOPS_OF_ACCOUNT) return false;
    return this.now() - stops[0]! < MINUTE_MS && this.stoppedAt.get(this.keyOf(job)) !== WELL;
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

  private keyOf({ subject = '', text = '', html = '', campaign = '' }: Sources): string {
    const { of } = this.last ?? {};
    if (!of || of.campaign !== campaign || of.subject !== subject || of.text !== text || of.html !== html) {
      // A campaign is of one account: what the data of one does to a template tells nothing of another's.
      const key = hash('sha256', `${campaign}\0${subject}\0${text}\0${html}`, 'base64');
      this.last = { of: { subject, text, html, campaign }, key };
    }
    return this.last!.key;
  }
}
