import type { Subscription } from '../log.port';
import { caughtUp, type Pursuit } from './catch.up';

/** What reads one topic. */
export interface Reader {
  pursuit: Pursuit;
  part: { close(): Promise<void> };
}

/** One reader per topic, closed together. */
export class KafkaSubscription implements Subscription {
  private closing: Promise<void> | undefined;

  constructor(
    private readonly readers: Map<string, Reader>,
    private readonly afterClose: () => void,
  ) {}

  async caughtUp(timeoutMs: number, topics: string[] = [...this.readers.keys()]): Promise<boolean> {
    const waits = topics.map((topic) => {
      const reader = this.readers.get(topic);
      return reader ? caughtUp(reader.pursuit, timeoutMs) : Promise.resolve(false);
    });
    return (await Promise.all(waits)).every(Boolean);
  }

  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async end(): Promise<void> {
    await Promise.all([...this.readers.values()].map(({ part }) => part.close()));
    this.afterClose();
  }
}
