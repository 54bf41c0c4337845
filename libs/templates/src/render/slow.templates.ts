import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { RenderJob } from './render.job';

const MAX_CACHED_RECORDS = 10_000;
/** Least time that a message is given, as a fraction of the usual. */
const MIN_TIME_SHARE = 1 / 16;
/** How many threads a template may stop before its messages are refused without a try. */
const MAX_TEMPLATE_STOPS = 3;
/** How many threads the messages of one campaign may stop, without one in time between, before all of them are refused. */
const MAX_CAMPAIGN_STOPS = 10;
const REFUSAL_MS = 30_000;
/** How many threads an account may stop in a minute, whatever succeeds in between, before its templates that never did are refused. */
const MAX_ACCOUNT_STOPS = 10;
const MINUTE_MS = 60_000;
const HEALTHY = -Infinity;

type Sources = Pick<RenderJob, 'subject' | 'text' | 'html' | 'campaign' | 'account'>;

interface SlowRecord {
  /** How often it ran out of time in a row. */
  ranOut: number;
  /** How often a thread had to be stopped because of it. */
  stops: number;
  lastStop: number;
}

/**
 * Remembers templates that used up the time of their messages. One that is slow for every recipient would delay all mail, so each of
 * its messages gets half the time of the previous one, and after it has stopped several threads it is not tried for a while. The same
 * applies to a campaign whose messages each bring a template of their own. A message that is rendered in time clears its template and
 * its campaign, but not its account, so that mixing templates that hang with some that do not is noticed.
 */
export class SlowTemplates {
  private readonly records = new LRUCache<string, SlowRecord>({ max: MAX_CACHED_RECORDS });
  /** When each account last stopped threads. */
  private readonly accountStops = new LRUCache<string, number[]>({ max: MAX_CACHED_RECORDS });
  /** When a template last stopped a thread; `HEALTHY` if it was rendered in time since, or never stopped one. */
  private readonly stoppedAt = new LRUCache<string, number>({ max: MAX_CACHED_RECORDS });
  private lastStop = -Infinity;
  /** Messages of one template come one after another, so the last key is cached. */
  private lastKey: { of: Sources; key: string } | undefined;

  constructor(
    private readonly usualMs: number,
    private readonly now = () => performance.now(),
  ) {}

  /** Whether anything is remembered. If not, callers need not ask: computing keys takes time. */
  get hasAny(): boolean {
    return this.records.size > 0 || this.now() - this.lastStop < MINUTE_MS;
  }

  knows(job: Sources): boolean {
    return this.keysOf(job).some((key) => this.records.has(key)) || this.isAccountOverLimit(job);
  }

  noteSuspect(job: Sources): void {
    this.recordsOf(job);
  }

  noteRanOut(job: Sources): void {
    for (const record of this.recordsOf(job)) record.ranOut += 1;
  }

  noteStopped(job: Sources): void {
    for (const record of this.recordsOf(job)) {
      record.stops += 1;
      record.lastStop = this.now();
    }
    this.lastStop = this.now();
    this.stoppedAt.set(this.keyOf(job), this.lastStop);
    if (job.account === undefined) return;
    const before = this.accountStops.get(job.account) ?? [];
    this.accountStops.set(job.account, [...before, this.lastStop].slice(-MAX_ACCOUNT_STOPS));
  }

  /** A message was rendered in time. Its template is not `HEALTHY` if it stopped a thread within the last minute. */
  noteRendered(job: Sources): void {
    const key = this.keyOf(job);
    if (this.now() - (this.stoppedAt.get(key) ?? HEALTHY) >= MINUTE_MS) this.stoppedAt.set(key, HEALTHY);
  }

  clear(job: Sources): void {
    for (const key of this.keysOf(job)) this.records.delete(key);
    this.noteRendered(job);
  }

  allowedMs(job: Sources): number {
    const ranOut = Math.max(...this.keysOf(job).map((key) => this.records.get(key)?.ranOut ?? 0));
    return Math.round(this.usualMs * Math.max(MIN_TIME_SHARE, 1 / 2 ** ranOut));
  }

  /** After a while one message is tried again; its outcome decides about the others. */
  isRefused(job: Sources): boolean {
    const [template, campaign] = this.keysOf(job).map((key) => this.records.get(key));
    return (
      this.isOverLimit(template, MAX_TEMPLATE_STOPS) ||
      this.isOverLimit(campaign, MAX_CAMPAIGN_STOPS) ||
      this.isAccountOverLimit(job)
    );
  }

  private isAccountOverLimit(job: Sources): boolean {
    const stops = job.account === undefined ? undefined : this.accountStops.get(job.account);
    if (stops === undefined || stops.length < MAX_ACCOUNT_STOPS) return false;
    return this.now() - stops[0]! < MINUTE_MS && this.stoppedAt.get(this.keyOf(job)) !== HEALTHY;
  }

  private isOverLimit(record: SlowRecord | undefined, maxStops: number): boolean {
    return record !== undefined && record.stops >= maxStops && this.now() - record.lastStop < REFUSAL_MS;
  }

  private recordsOf(job: Sources): SlowRecord[] {
    return this.keysOf(job).map((key) => {
      let record = this.records.get(key);
      if (!record) this.records.set(key, (record = { ranOut: 0, stops: 0, lastStop: 0 }));
      return record;
    });
  }

  /** The keys of its template and, if known, of its campaign. */
  private keysOf(job: Sources): string[] {
    return job.campaign === undefined ? [this.keyOf(job)] : [this.keyOf(job), `campaign ${job.campaign}`];
  }

  private keyOf({ subject = '', text = '', html = '', campaign = '' }: Sources): string {
    const { of } = this.lastKey ?? {};
    if (!of || of.campaign !== campaign || of.subject !== subject || of.text !== text || of.html !== html) {
      // A campaign belongs to one account: how a template fares with one account's data says nothing about another's.
      const key = hash('sha256', `${campaign}\0${subject}\0${text}\0${html}`, 'base64');
      this.lastKey = { of: { subject, text, html, campaign }, key };
    }
    return this.lastKey!.key;
  }
}
