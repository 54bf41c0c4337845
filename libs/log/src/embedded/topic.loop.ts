import { setImmediate as turn } from 'node:timers/promises';
import type { BatchLimits } from '../log.batches';
import type { LogRecord, RecordBatch } from '../log.port';
import type { LogLines } from '../log.lines';
import { LogDamaged } from '../log.faults';
import { Rest } from '../rest';
import type { TopicCursor } from './topic.cursor';
import type { Place, TopicLog } from './topic.log';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** A batch of fewer records than this is small: its transactions and syncs cost more than the records. */
const FEW = 32;
/** A batch of fewer records than this comes from light load, where latency matters and throughput does not. */
const SOME = 4;

export interface LoopOptions {
  topic: TopicLog;
  /** For log lines. */
  group: string | undefined;
  limits: BatchLimits;
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

interface Expecting {
  place: Place;
  tell(reached: boolean): void;
}

/** Reads one topic for one subscription, batch after batch, and hands over each until its handler accepts it. */
export class TopicLoop {
  private readonly cursor: TopicCursor;
  private readonly ended: Promise<void>;
  private expecting: Expecting[] = [];
  private handled: Place;
  private stopped = false;
  private idle = false;
  private lingering = false;
  private readonly rest = new Rest();

  constructor(private readonly options: LoopOptions) {
    this.cursor = options.cursor(() => {
      if (this.idle) this.rest.end();
    });
    this.handled = this.cursor.place;
    options.topic.readers.add(this.cursor);
    this.ended = this.run().finally(() => this.leave());
  }

  get stopping(): boolean {
    return this.stopped;
  }

  /** True once everything that is on the topic now has been handled; false when the loop ends, or the time is up, before that. */
  caughtUp(timeoutMs: number): Promise<boolean> {
    const place = this.options.topic.end;
    if (this.handled >= place) return Promise.resolve(true);
    if (this.stopped) return Promise.resolve(false);
    return new Promise((resolve) => {
      const timer = setTimeout(() => tell(false), timeoutMs);
      const tell = (reached: boolean) => {
        clearTimeout(timer);
        this.expecting = this.expecting.filter((one) => one.tell !== tell);
        resolve(reached);
      };
      this.expecting.push({ place, tell });
      if (this.lingering) this.rest.end();
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
    this.rest.end();
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      const records = await this.take();
      if (records.length > 0 && !(await this.deliver(records))) return;
      if (records.length > 0) this.options.commit(this.cursor.positions);
      this.reached();
      if (records.length > 0) await this.pass(records.length);
      else if (this.cursor.place >= this.options.topic.end) await this.untilMore();
    }
  }

  /** The next records; none at the end of the topic, or when it is damaged or the loop was stopped. */
  private async take(): Promise<LogRecord[]> {
    for (let pause = FIRST_PAUSE_MS; !this.stopped; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        return await this.cursor.take(this.options.limits);
      } catch (error) {
        if (error instanceof LogDamaged) {
          this.stop();
          this.options.onDamage(error);
          return [];
        }
        this.options.lines.warn({ ...this.where(), err: error }, 'records could not be read; trying again');
        await this.rest.for(pause);
      }
    }
    return [];
  }

  /** True when the handler has accepted the records, false when the loop was stopped before. */
  private async deliver(records: LogRecord[]): Promise<boolean> {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        await this.options.onBatch(this.batchOf(records));
        return true;
      } catch (error) {
        const { code, name } = error as { code?: string; name?: string };
        const fields = { ...this.where(), code: code ?? name, position: records[0]!.position };
        this.options.lines.warn(fields, 'a batch was not accepted; handing it over again');
      }
      if (!this.stopped) await this.rest.for(pause);
      if (this.stopped) return false;
    }
  }

  private batchOf(records: LogRecord[]): RecordBatch {
    const stopping = () => this.stopped;
    return {
      topic: this.options.topic.name,
      records: [...records],
      heartbeat: () => Promise.resolve(),
      get stopping() {
        return stopping();
      },
    };
  }

  /** Between a batch of `count` records and the next one. */
  private async pass(count: number): Promise<void> {
    // Also when everything comes from memory: other work of the process gets its turn.
    await turn();
    const isStream = this.cursor.place < this.options.topic.end;
    if (isStream && count >= SOME && count < FEW) await this.linger(this.options.gatherMs);
  }

  private reached(): void {
    this.handled = this.cursor.place;
    for (const { place, tell } of [...this.expecting]) if (place <= this.handled) tell(true);
  }

  private async untilMore(): Promise<void> {
    if (this.stopped) return;
    this.idle = true;
    await this.rest.for();
    this.idle = false;
    await this.linger(this.options.lingerMs);
  }

  /** Lets more records come, unless somebody waits for those that are there. */
  private async linger(ms: number | undefined): Promise<void> {
    if (!ms || this.stopped || this.expecting.length > 0) return;
    this.lingering = true;
    await this.rest.for(ms);
    this.lingering = false;
  }

  private leave(): void {
    this.options.topic.readers.delete(this.cursor);
    for (const { tell } of [...this.expecting]) tell(false);
  }

  private where(): object {
    return { topic: this.options.topic.name, group: this.options.group };
  }
}
