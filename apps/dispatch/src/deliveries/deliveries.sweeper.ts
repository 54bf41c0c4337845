import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { CLOCK, CONFIG, type Clock, type Config } from '@lettermill/runtime';
import { DELIVERY_STORE, type DeliveryStore } from './deliveries.store';

const DAY_MS = 86_400_000;
const SWEEP_MS = 3_600_000;
/** What bounced or failed can be retried for so long. */
const CONTENTS_MS = 7 * DAY_MS;
/** A delivery is known for longer than its record can be on the log: a record read again finds it ended. */
const SLACK_MS = 3 * DAY_MS;
const AT_ONCE = 500;

/** Forgets, every hour and in small steps, what nobody can ask for any more. */
@Injectable()
export class DeliveriesSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('dispatch');
  private timer: NodeJS.Timeout | undefined;
  private leaving = false;

  constructor(
    @Inject(DELIVERY_STORE) private readonly store: DeliveryStore,
    @Inject(CONFIG) private readonly config: Config,
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

  async sweep(): Promise<void> {
    const { retentionDays } = this.config;
    const now = this.now();
    const deliveries = retentionDays === 0 ? null : now - retentionDays * DAY_MS - SLACK_MS;
    while (!this.leaving && (await this.store.sweep({ contents: now - CONTENTS_MS, deliveries }, AT_ONCE)));
  }
}
