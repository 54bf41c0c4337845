import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { isRetryable, retryWhileUnavailable } from '@lettermill/concurrency';
import type { ReceivedEvent } from '@lettermill/events';
import { EVENT_LOG, LogUnavailable, type EventLog } from '@lettermill/log';
import { LOGGER, type Logger } from '@lettermill/runtime';
import { StoreAheadOfLog } from './positions';
import { PositionsKeeper } from './positions.keeper';
import { partitionsOfOtherLog } from './positions.log';
import { placeOf, type Place } from './record.place';
import { POSITIONS_STORE, type PositionsStore } from './positions.store';

const CHECK_INTERVAL_MS = 60_000;

/** Makes sure that contacts does not continue on a log other than the one it has applied. */
@Injectable()
export class PositionsWatch implements BeforeApplicationShutdown {
  private readonly shutdown = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private onAhead: (error: StoreAheadOfLog) => void = () => {};

  constructor(
    @Inject(POSITIONS_STORE) private readonly store: PositionsStore,
    @Inject(EVENT_LOG) private readonly log: EventLog,
    private readonly keeper: PositionsKeeper,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Checks before the first record is processed, and from then on once a minute; the later checks report to `onAhead`. Waits while log or
   * store is unavailable. Rejects with `StoreAheadOfLog`.
   */
  async begin(onAhead: (error: StoreAheadOfLog) => void): Promise<void> {
    await retryWhileUnavailable(() => this.check(), this.shutdown.signal);
    this.shutdown.signal.throwIfAborted();
    this.onAhead = onAhead;
    const check = () => void this.check().catch((error: Error) => this.reportFailure(error));
    this.timer = setInterval(check, CHECK_INTERVAL_MS).unref();
  }

  beforeApplicationShutdown(): void {
    this.shutdown.abort();
    clearInterval(this.timer);
  }

  /**
   * Called before events are applied: if they may be at or before a position already applied, checks the log first. Rejects with
   * `LogUnavailable`, so that the batch is kept, if the log is a different one or does not answer.
   */
  async checkBefore(events: Pick<ReceivedEvent, 'topic' | 'partition' | 'position'>[]): Promise<void> {
    if (!this.keeper.mayBeApplied(events)) return;
    try {
      await this.check(new Set(events.map(placeOf)));
    } catch (error) {
      if (!(error instanceof StoreAheadOfLog)) throw error;
      this.onAhead(error);
      throw new LogUnavailable(error.message, { cause: error });
    }
  }

  /** Reads the positions applied before the end of the log, so that records appended meanwhile do no harm. */
  private async check(compared?: ReadonlySet<Place>): Promise<void> {
    const applied = [...(await this.store.load()), ...this.keeper.ownPositions()];
    const ahead = await partitionsOfOtherLog(this.log, applied, compared);
    if (ahead.length > 0) throw new StoreAheadOfLog(ahead);
  }

  private reportFailure(error: Error): void {
    if (this.shutdown.signal.aborted) return;
    if (error instanceof StoreAheadOfLog) this.onAhead(error);
    // Readiness reports an unavailable log or store, and the check is repeated in a minute.
    else if (!isRetryable(error))
      this.logger.warn({ err: error }, 'could not check whether this is the log that contacts applied');
  }
}
