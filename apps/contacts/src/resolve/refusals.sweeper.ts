import { Inject, Injectable } from '@nestjs/common';
import { DAY_MS } from '@lettermill/concurrency';
import type { Config } from '@lettermill/config';
import { CLOCK, CONFIG, HourlySweeper, type Clock } from '@lettermill/runtime';
import { REFUSALS_STORE, type RefusalsStore } from './refusals.store';

/** Refusals are kept this much longer than their record can be on the log, so that a record read again ends the same way. */
const SLACK_MS = 3 * DAY_MS;
const BATCH_SIZE = 500;

/** Deletes refusals of messages whose record is no longer on the log. */
@Injectable()
export class RefusalsSweeper extends HourlySweeper {
  constructor(
    @Inject(REFUSALS_STORE) private readonly store: RefusalsStore,
    @Inject(CONFIG) private readonly config: Pick<Config, 'retentionDays'>,
    @Inject(CLOCK) now: Clock,
  ) {
    super('contacts', now);
  }

  /** With `RETENTION_DAYS` 0 records are kept for ever, and so are refusals. */
  protected async step(now: number): Promise<boolean> {
    const { retentionDays } = this.config;
    return retentionDays > 0 && (await this.store.sweep(now - retentionDays * DAY_MS - SLACK_MS, BATCH_SIZE));
  }
}
