import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Received } from '@lettermill/events';
import { CLOCK, LOGGER, type Clock, type Logger } from '@lettermill/runtime';
import type { Reached } from './reach';
import { placeOf, type Place } from './record.place';
import { REACH_STORE, type ReachStore } from './reach.store';

const EVERY_MS = 60_000;

/**
 * Keeps how far this process has come. Writes it to the store with the first batch, then at most once a minute, and when the service ends.
 */
@Injectable()
export class ReachKeeper implements OnApplicationShutdown {
  private readonly reached = new Map<Place, Reached>();
  /** Partitions in which this process has come further than the store knows. */
  private readonly open = new Set<Place>();
  private dueAt = -Infinity;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    @Inject(REACH_STORE) private readonly store: ReachStore,
    @Inject(CLOCK) private readonly now: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Whether one of the events may be at or before a position already applied, because it is read again or the log began anew: this process
   * has come as far in the partition, or has not read it yet and does not know how far it or others had come.
   */
  mayGoBack(events: Pick<Received, 'topic' | 'partition' | 'position'>[]): boolean {
    return events.some((event) => event.position <= (this.reached.get(placeOf(event))?.position ?? Infinity));
  }

  /** To be called once the events are applied. The batch does not wait for the store. */
  note(events: Pick<Received, 'id' | 'topic' | 'partition' | 'position'>[]): void {
    for (const event of events) {
      const { id, position } = event;
      const place = placeOf(event);
      const before = this.reached.get(place);
      if (before && before.position >= position) continue;
      this.reached.set(place, { place, position, eventId: id });
      this.open.add(place);
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

  /** Resolves once everything noted before has been written, or refused by the store. */
  write(): Promise<void> {
    this.writing = this.writing.then(() => this.advance());
    return this.writing;
  }

  /** At this point no batch is being processed any more. */
  onApplicationShutdown(): Promise<void> {
    return this.write();
  }

  private async advance(): Promise<void> {
    const further = [...this.open].map((place) => this.reached.get(place)!);
    this.open.clear();
    try {
      if (further.length > 0) await this.store.advance(further);
    } catch (error) {
      for (const { place } of further) this.open.add(place);
      this.logger.warn({ err: error }, 'the positions of contacts could not be saved; trying again with a later batch');
    }
  }
}
