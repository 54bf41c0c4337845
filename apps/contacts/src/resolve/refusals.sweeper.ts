import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { CLOCK, CONFIG, type Clock, type Config } from '@lettermill/runtime';
import { REFUSALS_STORE, type RefusalsStore } from './refusals.store';

const DAY_MS = 86_400_000;
const SWEEP_MS = 3_600_000;
/** A refusal is known for longer than its record can be on the log: a record read again ends the same way. */
const SLACK_MS = 3 * DAY_MS;
const AT_ONCE = 500;

/** Forgets, every hour and in small steps, refusals of messages whose record is gone from the log. */
@Injectable()
export class RefusalsSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('contacts');
  private timer: NodeJS.Timeout | undefined;
  private leaving = false;

  constructor(
    @Inject(REFUSALS_STORE) private readonly store: RefusalsStore,
    @Inject(CONFIG) private readonly config: Pick<Config, 'retentionDays'>,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  onApplicationBootstrap(): void {
    const quietly = () => void this.sweep().catch((error: unknown) => this.logger.warn(String(error)));
    this.timer = setInterval(quietly, SWEEP_MS).unref();
  }

  beforeApplicationShutdown(): void {
    this.leaving = true;
    clearInterval(this.timer);
  }

  /** With `RETENTION_DAYS` 0 records stay for ever, and so do refusals. */
  async sweep(): Promise<void> {
    const { retentionDays } = this.config;
    if (retentionDays === 0) return;
    const before = this.now() - retentionDays * DAY_MS - SLACK_MS;
    while (!this.leaving && (await this.store.sweep(before, AT_ONCE)));
  }
}
