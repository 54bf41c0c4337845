import { DAY_MS, everyHour } from '@lettermill/concurrency';
import type { LogLines } from '../log.lines';
import type { Retention } from '../log.retention';
import type { GroupPositions } from './group.positions';
import { creationTimes, droppableCount } from './retention';
import type { Topic, Topics } from './topics';

export interface SweeperOptions {
  topics: Topics;
  positions: GroupPositions;
  retention: Retention;
  lines: LogLines;
  now(): number;
}

/** Applies retention to every topic, hourly. */
export class RetentionSweeper {
  private stopTimer: () => void = () => undefined;
  private running: Promise<void> | undefined;

  constructor(private readonly options: SweeperOptions) {}

  start(): void {
    this.stopTimer = everyHour(() => void this.run());
  }

  /** Stops the timer; resolves when a run in progress is done. */
  async stop(): Promise<void> {
    this.stopTimer();
    await this.running;
  }

  /** Never rejects: what cannot be removed now is tried again by the next run. */
  run(): Promise<void> {
    this.running ??= this.sweep().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async sweep(): Promise<void> {
    const { days, keepWhole } = this.options.retention;
    if (days === 0) return;
    for (const topic of await this.options.topics.all()) {
      const { name } = topic.log;
      if (keepWhole.includes(name)) continue;
      try {
        await this.sweepTopic(topic, this.options.now() - days * DAY_MS);
      } catch (error) {
        this.options.lines.warn({ topic: name, err: error }, 'old segments could not be removed');
      }
    }
  }

  private async sweepTopic({ log, writer }: Topic, before: number): Promise<void> {
    try {
      // A quiet topic would otherwise keep its last segment, and what is in it, for ever; or until a clock that was ahead was right.
      if (Math.abs(this.options.now() - log.lastSegment.header.created) >= DAY_MS) await writer.roll();
    } finally {
      // A full volume may have no room for a new segment until this has made some.
      await this.drop(log, before);
    }
  }

  private async drop(log: Topic['log'], before: number): Promise<void> {
    await this.options.positions.written();
    const headers = log.segments.map(({ header }) => header);
    const created = creationTimes(
      headers.map((header) => header.created),
      this.options.now(),
    );
    const segments = headers.map(({ number, base }, index) => ({ number, base, created: created[index]! }));
    // By what a crash leaves: a group that then reads on from there must find all of it.
    const groups = this.options.positions.writtenPositionsOf(log.name);
    const count = droppableCount(
      segments,
      before,
      groups,
      [...log.readers].map(({ segmentNumber }) => segmentNumber),
    );
    if (count === 0) return;
    await log.dropSegments(count);
    this.options.lines.info({ topic: log.name, segments: count }, 'segments older than the retention were removed');
  }
}
