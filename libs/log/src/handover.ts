import { deadLetterCode } from './transport/dead.letter';
import type { LogLines } from './log.lines';
import type { LogRecord, RecordBatch } from './log.port';
import { Sleeper } from './sleeper';

const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;

export interface HandoverOptions {
  topic: string;
  /** For log lines. */
  group: string | undefined;
  lines: LogLines;
  onBatch(batch: RecordBatch): Promise<void>;
}

/** Whoever hands records out: its state while a batch is in the handler. */
export interface RecordHolder {
  readonly stopping: boolean;
  heartbeat(): Promise<void>;
}

/** Hands records to a handler, again and again until it accepts them. */
export class Handover {
  private readonly sleeper = new Sleeper();

  constructor(private readonly options: HandoverOptions) {}

  /** True when the handler has accepted the records; false when it has not, and the holder has to stop. */
  async deliver(records: LogRecord[], holder: RecordHolder): Promise<boolean> {
    for (let backoffMs = MIN_BACKOFF_MS; ; backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS)) {
      try {
        await this.options.onBatch(this.batchOf(records, holder));
        return true;
      } catch (error) {
        const { topic, group, lines } = this.options;
        const { partition, position } = records[0]!;
        const fields = { topic, group, partition, position, code: deadLetterCode(error) };
        lines.warn(fields, 'a batch was not accepted; handing it over again');
      }
      if (!holder.stopping) await this.sleeper.sleep(backoffMs);
      if (holder.stopping) return false;
    }
  }

  /** Ends the pause between two tries, as the holder has to stop. */
  wake(): void {
    this.sleeper.wake();
  }

  private batchOf(records: LogRecord[], holder: RecordHolder): RecordBatch {
    return {
      topic: this.options.topic,
      records: [...records],
      heartbeat: () => holder.heartbeat(),
      get stopping() {
        return holder.stopping;
      },
    };
  }
}
