import type { RecordBatch, Subscription } from '../log.port';
import { LogFault } from './embedded.faults';
import type { TopicLoop } from './topic.loop';

/** The handler of a group or of a follower; batches of a topic come one at a time. */
export type OnBatch = (batch: RecordBatch) => Promise<void>;

/** One loop per topic, closed together. */
export class EmbeddedSubscription implements Subscription {
  private readonly loops: Map<string, TopicLoop>;

  constructor(
    loops: [topic: string, loop: TopicLoop][],
    private readonly afterClose: () => void,
  ) {
    this.loops = new Map(loops);
  }

  async caughtUp(timeoutMs: number, topics: string[] = [...this.loops.keys()]): Promise<boolean> {
    const waits = topics.map((topic) => this.loops.get(topic)?.caughtUp(timeoutMs) ?? Promise.resolve(false));
    return (await Promise.all(waits)).every(Boolean);
  }

  stop(): void {
    for (const loop of this.loops.values()) loop.stop();
  }

  async close(): Promise<void> {
    await Promise.all([...this.loops.values()].map((loop) => loop.close()));
    this.afterClose();
  }
}

/** Who reads in this process: a group at most once per topic. */
export class Members {
  private readonly taken = new Set<string>();

  /** Throws `LogFault` (`group_taken`). Answers how to give the topics back. */
  join(group: string, topics: string[]): () => void {
    const ids = topics.map((topic) => `${topic}\n${group}`);
    const twice = topics.find((_topic, index) => this.taken.has(ids[index]!) || ids.indexOf(ids[index]!) !== index);
    if (twice !== undefined) throw new LogFault('group_taken', `group ${group} already reads ${twice} in this process`);
    for (const id of ids) this.taken.add(id);
    return () => ids.forEach((id) => this.taken.delete(id));
  }
}
