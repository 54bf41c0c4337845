import { EVENT_LOG } from '@lettermill/log';
import { SERVICE } from '@lettermill/runtime';
import { OwnerService } from '../../../../libs/runtime/src/testing/owner.service';
import { TrackerModule } from '../tracker.module';

/** The tracker, on a log that it has read to the end. */
export class TrackerService extends OwnerService {
  static start(): Promise<TrackerService> {
    const log = { positions: () => Promise.resolve([]) };
    return new TrackerService().open(TrackerModule, [
      { provide: EVENT_LOG, useValue: log },
      { provide: SERVICE, useValue: 'tracker' },
    ]);
  }

  get(path: string, accountId?: string): Promise<{ status: number; body: unknown }> {
    return this.call('GET', path, accountId);
  }
}
