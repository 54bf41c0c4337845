import { Injectable } from '@nestjs/common';
import { pause } from '@lettermill/concurrency';
import type { Config } from '../config/config';

/** Whether this service is on its way out: readiness is off then. */
@Injectable()
export class Draining {
  private begun = false;
  private readonly told: (() => void)[] = [];

  begin(): void {
    this.begun = true;
    for (const tell of this.told.splice(0)) tell();
  }

  /** Called once, when it begins. */
  onBegin(tell: () => void): void {
    this.told.push(tell);
  }

  get active(): boolean {
    return this.begun;
  }
}

/**
 * Whoever spreads the requests needs a moment to see that there is one less to take them. Without one nothing is waited for, not a turn:
 * whose connection ends with its answer would make another, to be reset.
 */
export async function drainTime({ drainSeconds }: Pick<Config, 'drainSeconds'>): Promise<void> {
  if (drainSeconds > 0) await pause(drainSeconds * 1000);
}
