import { deadLetterCode } from '../transport/dead.letter';
import type { LogLines } from '../log.lines';
import type { LogRecord, RecordBatch } from '../log.port';
import { Rest } from '../rest';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

export interface HandoverOptions {
  topic: string;
  /** For log lines. */
  group: string | undefined;
  lines: LogLines;
  onBatch(batch: RecordBatch): Promise<void>;
}

/** Whoever hands records out: its state while a batch is in the handler. */
export interface Holder {
  readonly stopping: boolean;
  heartbeat(): Promise<void>;
}

/** Hands records to a handler, again and again until it accepts them. */
export class Handover {
  private readonly rest = new Rest();

  constructor(private readonly options: HandoverOptions) {}

  /** True when the handler has accepted the records; false when it has not, and the holder has to stop. */
  async give(records: LogRecord[], holder: Holder): Promise<boolean> {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        await this.options.onBatch(this.batchOf(records, holder));
        return true;
      } catch (error) {
        const { topic, group, lines } = this.options;
        const { partition, position } = records[0]!;
        const fields = { topic, group, partition, position, code: deadLetterCode(error) };
        lines.warn(fields, 'a batch was not accepted; handing it over again');
      }
      if (!holder.stopping) await this.rest.for(pause);
      if (holder.stopping) return false;
    }
  }

  /** Ends the pause between two tries, as the holder has to stop. */
  wake(): void {
    this.rest.end();
  }

  private batchOf(records: LogRecord[], holder: Holder): RecordBatch {
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
