import type { Subscription } from '../log.port';
import type { TopicLoop } from './topic.loop';

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
