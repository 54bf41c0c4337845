import { OwnerService } from '../../../../libs/runtime/src/testing/owner.service';
import { TrackerModule } from '../tracker.module';

export class TrackerService extends OwnerService {
  static start(): Promise<TrackerService> {
    return new TrackerService().open(TrackerModule);
  }

  get(path: string, accountId?: string): Promise<{ status: number; body: unknown }> {
    return this.call('GET', path, accountId);
  }
}
