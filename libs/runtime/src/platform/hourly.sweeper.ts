import { Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { everyHour } from '@lettermill/concurrency';
import type { Clock } from './platform';

/** Runs hourly work in small steps, such as deleting what nobody can ask for any more. A shutdown stops it between two steps. */
export abstract class HourlySweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  protected readonly logger: Logger;
  private stopTimer: () => void = () => undefined;
  private isShuttingDown = false;

  protected constructor(
    service: string,
    protected readonly now: Clock,
    private readonly firstAfterMs?: number,
  ) {
    this.logger = new Logger(service);
  }

  onApplicationBootstrap(): void {
    const quietly = () => void this.sweep().catch((error: unknown) => this.logger.warn(String(error)));
    this.stopTimer = everyHour(quietly, this.firstAfterMs);
  }

  beforeApplicationShutdown(): void {
    this.isShuttingDown = true;
    this.stopTimer();
  }

  async sweep(): Promise<void> {
    const now = this.now();
    while (!this.isShuttingDown && (await this.step(now)));
  }

  /** Does part of the work; resolves to whether there may be more. `now` is when the sweep began. */
  protected abstract step(now: number): Promise<boolean>;
}
