import { Injectable } from '@nestjs/common';
import { pause } from '@lettermill/concurrency';
import type { Config } from '@lettermill/config';

/** Whether this service is shutting down; it is not ready then. */
@Injectable()
export class Draining {
  private begun = false;
  private readonly listeners: (() => void)[] = [];

  begin(): void {
    this.begun = true;
    for (const listener of this.listeners.splice(0)) listener();
  }

  /** `listener` is called once, when draining begins. */
  onBegin(listener: () => void): void {
    this.listeners.push(listener);
  }

  get active(): boolean {
    return this.begun;
  }
}

/** Gives load balancers time to notice that this process is leaving. */
export async function waitForDrain({ drainSeconds }: Pick<Config, 'drainSeconds'>): Promise<void> {
  if (drainSeconds > 0) await pause(drainSeconds * 1000);
}
