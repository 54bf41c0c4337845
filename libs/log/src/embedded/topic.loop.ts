import { setImmediate as turn } from 'node:timers/promises';
import { Handover, type RecordHolder } from '../handover';
import type { RecordLimits } from '../log.batches';
import type { LogRecord, RecordBatch } from '../log.port';
import type { LogLines } from '../log.lines';
import { LogDamaged } from '../log.faults';
import { Sleeper } from '../sleeper';
import type { TopicCursor } from './topic.cursor';
import type { Place, TopicLog } from './topic.log';

const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;
/** A batch of fewer records than this is small: its transactions and syncs cost more than the records. */
const SMALL_BATCH_RECORDS = 32;
/** A batch of fewer records than this comes from light load, where latency matters and throughput does not. */
const LIGHT_LOAD_RECORDS = 4;

export interface LoopOptions {
  topic: TopicLog;
  /** For log lines. */
  group: string | undefined;
  limits: RecordLimits;
  /** Milliseconds for which the first record after an idle period waits for more, unless somebody waits in `caughtUp`. */
  lingerMs?: number;
  /** While records come in a steady stream of small batches, each batch waits this long for more records; 0 to never wait. */
  gatherMs: number;
  lines: LogLines;
  onBatch(batch: RecordBatch): Promise<void>;
  /** Called when all records below `positions` are handled. */
  commit(positions: number[]): void;
  onDamage(error: LogDamaged): void;
  cursor(wake: () => void): TopicCursor;
}

interface PendingCatchUp {
  place: Place;
  tell(reached: boolean): void;
}

/** Reads one topic for one subscription, batch after batch, and hands over each until its handler accepts it. */
export class TopicLoop implements RecordHolder {
  private readonly cursor: TopicCursor;
  private readonly ended: Promise<void>;
  private catchUps: PendingCatchUp[] = [];
  private handledPlace: Place;
  private stopped = false;
  private isIdle = false;
  private isLingering = false;
  private readonly sleeper = new Sleeper();
  private readonly handover: Handover;

  constructor(private readonly options: LoopOptions) {
    const { group, lines, onBatch } = options;
    this.handover = new Handover({ topic: options.topic.name, group, lines, onBatch });
    this.cursor = options.cursor(() => {
      if (this.isIdle) this.sleeper.wake();
    });
    this.handledPlace = this.cursor.place;
    options.topic.readers.add(this.cursor);
    this.ended = this.run().finally(() => this.detach());
  }

  get stopping(): boolean {
    return this.stopped;
  }

  /** Nobody else waits to take over an embedded reader's records. */
  heartbeat(): Promise<void> {
    return Promise.resolve();
  }

  /** True once everything that is on the topic now has been handled; false when the loop ends, or the time is up, before that. */
  caughtUp(timeoutMs: number): Promise<boolean> {
    const place = this.options.topic.end;
    if (this.handledPlace >= place) return Promise.resolve(true);
    if (this.stopped) return Promise.resolve(false);
    return new Promise((resolve) => {
      const timer = setTimeout(() => tell(false), timeoutMs);
      const tell = (reached: boolean) => {
        clearTimeout(timer);
        this.catchUps = this.catchUps.filter((one) => one.tell !== tell);
        resolve(reached);
      };
      this.catchUps.push({ place, tell });
      if (this.isLingering) this.sleeper.wake();
    });
  }

  /** Hands out nothing more; resolves when the batch in progress is done. */
  async close(): Promise<void> {
    this.stop();
    await this.ended;
  }

  /** As `close`, without waiting. */
  stop(): void {
    this.stopped = true;
    this.sleeper.wake();
    this.handover.wake();
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      const records = await this.takeRecords();
      if (records.length > 0 && !(await this.handover.deliver(records, this))) return;
      if (records.length > 0) this.options.commit(this.cursor.positions);
      this.settleCatchUps();
      if (records.length > 0) await this.pauseAfterBatch(records.length);
      else if (this.cursor.place >= this.options.topic.end) await this.waitForMore();
    }
  }

  /** The next records; none at the end of the topic, or when it is damaged or the loop was stopped. */
  private async takeRecords(): Promise<LogRecord[]> {
    for (let backoffMs = MIN_BACKOFF_MS; !this.stopped; backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS)) {
      try {
        return await this.cursor.take(this.options.limits);
      } catch (error) {
        if (error instanceof LogDamaged) {
          this.stop();
          this.options.onDamage(error);
          return [];
        }
        this.options.lines.warn({ ...this.logFields(), err: error }, 'records could not be read; trying again');
        if (!this.stopped) await this.sleeper.sleep(backoffMs);
      }
    }
    return [];
  }

  /** Between a batch of `count` records and the next one. */
  private async pauseAfterBatch(count: number): Promise<void> {
    // Also when everything comes from memory: other work of the process gets its turn.
    await turn();
    const isStream = this.cursor.place < this.options.topic.end;
    if (isStream && count >= LIGHT_LOAD_RECORDS && count < SMALL_BATCH_RECORDS)
      await this.linger(this.options.gatherMs);
  }

  private settleCatchUps(): void {
    this.handledPlace = this.cursor.place;
    for (const { place, tell } of [...this.catchUps]) if (place <= this.handledPlace) tell(true);
  }

  private async waitForMore(): Promise<void> {
    if (this.stopped) return;
    this.isIdle = true;
    await this.sleeper.sleep();
    this.isIdle = false;
    await this.linger(this.options.lingerMs);
  }

  /** Lets more records come, unless somebody waits for those that are there. */
  private async linger(ms: number | undefined): Promise<void> {
    if (!ms || this.stopped || this.catchUps.length > 0) return;
    this.isLingering = true;
    await this.sleeper.sleep(ms);
    this.isLingering = false;
  }

  private detach(): void {
    this.options.topic.readers.delete(this.cursor);
    for (const { tell } of [...this.catchUps]) tell(false);
  }

  private logFields(): object {
    return { topic: this.options.topic.name, group: this.options.group };
  }
}
