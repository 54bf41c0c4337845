import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { OncePer } from '@lettermill/concurrency';
import type { ReceivedEvent } from '@lettermill/events';
import { CLOCK, LOGGER, type Clock, type Logger } from '@lettermill/runtime';
import type { AppliedPosition } from './positions';
import { placeOf, type Place } from './record.place';
import { POSITIONS_STORE, type PositionsStore } from './positions.store';

const SAVE_INTERVAL_MS = 60_000;

/**
 * Keeps how far this process has come. Writes it to the store with the first batch, then at most once a minute, and when the service ends.
 */
@Injectable()
export class PositionsKeeper implements OnApplicationShutdown {
  private readonly applied = new Map<Place, AppliedPosition>();
  /** Partitions in which this process has come further than the store knows. */
  private readonly unsaved = new Set<Place>();
  private readonly saves: OncePer;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    @Inject(POSITIONS_STORE) private readonly store: PositionsStore,
    @Inject(CLOCK) now: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.saves = new OncePer(SAVE_INTERVAL_MS, now);
  }

  /**
   * Whether one of the events may be at or before a position already applied, because it is read again or the log began anew: this process
   * has come as far in the partition, or has not read it yet and does not know how far it or others had come.
   */
  mayBeApplied(events: Pick<ReceivedEvent, 'topic' | 'partition' | 'position'>[]): boolean {
    return events.some((event) => event.position <= (this.applied.get(placeOf(event))?.position ?? Infinity));
  }

  /** To be called once the events are applied. The batch does not wait for the store. */
  markApplied(events: Pick<ReceivedEvent, 'id' | 'topic' | 'partition' | 'position'>[]): void {
    for (const event of events) {
      const { id, position } = event;
      const place = placeOf(event);
      const before = this.applied.get(place);
      if (before && before.position >= position) continue;
      this.applied.set(place, { place, position, eventId: id });
      this.unsaved.add(place);
    }
    if (this.unsaved.size > 0 && this.saves.passes('')) void this.save();
  }

  /** How far this process has come since it started. */
  ownPositions(): AppliedPosition[] {
    return [...this.applied.values()];
  }

  /** Resolves once everything noted before has been written, or refused by the store. */
  save(): Promise<void> {
    this.writing = this.writing.then(() => this.saveUnsaved());
    return this.writing;
  }

  /** At this point no batch is being processed any more. */
  onApplicationShutdown(): Promise<void> {
    return this.save();
  }

  private async saveUnsaved(): Promise<void> {
    const further = [...this.unsaved].map((place) => this.applied.get(place)!);
    this.unsaved.clear();
    try {
      if (further.length > 0) await this.store.advance(further);
    } catch (error) {
      for (const { place } of further) this.unsaved.add(place);
      this.logger.warn({ err: error }, 'the positions of contacts could not be saved; trying again with a later batch');
    }
  }
}
