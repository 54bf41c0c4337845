import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Received } from '@lettermill/events';
import { CLOCK, LOGGER, type Clock, type Logger } from '@lettermill/runtime';
import type { Reached } from './reach';
import { REACH_STORE, type ReachStore } from './reach.store';

const EVERY_MS = 60_000;

/** Keeps how far this process has come: in the store with the first batch, then once a minute at most, and when the service ends. */
@Injectable()
export class ReachKeeper implements OnApplicationShutdown {
  private readonly reached = new Map<number, Reached>();
  /** Partitions that have come further than the store knows. */
  private readonly open = new Set<number>();
  private dueAt = -Infinity;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    @Inject(REACH_STORE) private readonly store: ReachStore,
    @Inject(CLOCK) private readonly now: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Whether one of them lies where this process has been before: read again, or of a log that begins anew. */
  goesBack(events: Pick<Received, 'partition' | 'position'>[]): boolean {
    return events.some(({ partition, position }) => position <= (this.reached.get(partition)?.position ?? -1));
  }

  /** Once the events are applied. The batch does not wait for the store. */
  note(events: Pick<Received, 'id' | 'partition' | 'position'>[]): void {
    for (const { id, partition, position } of events) {
      const before = this.reached.get(partition);
      if (before && before.position >= position) continue;
      this.reached.set(partition, { partition, position, eventId: id });
      this.open.add(partition);
    }
    const now = this.now();
    if (now < this.dueAt || this.open.size === 0) return;
    this.dueAt = now + EVERY_MS;
    void this.write();
  }

  /** How far this process has come since it started. */
  here(): Reached[] {
    return [...this.reached.values()];
  }

  /** What was noted before is in the store, or was refused by it, when this resolves. */
  write(): Promise<void> {
    this.writing = this.writing.then(() => this.advance());
    return this.writing;
  }

  /** No batch is in hand any more. */
  onApplicationShutdown(): Promise<void> {
    return this.write();
  }

  private async advance(): Promise<void> {
    const further = [...this.open].map((partition) => this.reached.get(partition)!);
    this.open.clear();
    try {
      if (further.length > 0) await this.store.advance(further);
    } catch (error) {
      for (const { partition } of further) this.open.add(partition);
      this.logger.warn(
        { err: error },
        'how far the contacts have come could not be kept; trying again with a later batch',
      );
    }
  }
}
