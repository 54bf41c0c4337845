import type { EventLog, LogRecord, NewRecord, RecordBatch } from '../log.port';

export function textRecord(topic: string, key: string, value: string): NewRecord {
  return { topic, key, value: Buffer.from(value), headers: { kind: 'text' } };
}

/** Resolves when the condition holds; looks again every 2 ms. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** Collects what a reader is handed. */
export class Inbox {
  readonly batches: RecordBatch[] = [];

  get records(): LogRecord[] {
    return this.batches.flatMap(({ records }) => records);
  }

  get values(): string[] {
    return this.records.map(({ value }) => value.toString());
  }

  readonly take = (batch: RecordBatch): Promise<void> => {
    this.batches.push(batch);
    return Promise.resolve();
  };

  async waitFor(count: number): Promise<string[]> {
    await until(() => this.records.length >= count);
    return this.values;
  }
}

/** All values of a topic, read by a follower of its own. */
export async function valuesIn(log: EventLog, topic: string): Promise<string[]> {
  const inbox = new Inbox();
  const follower = await log.follow({ topics: [topic], onBatch: inbox.take });
  await follower.caughtUp(20_000);
  await follower.close();
  return inbox.values;
}
