import { runService } from '@lettermill/runtime';
import { TrackerModule } from './tracker.module';

runService({ name: 'tracker', module: TrackerModule });
