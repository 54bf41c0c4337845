import { runService } from '@lettermill/runtime';
import { DispatchModule } from './dispatch.module';

runService({ name: 'dispatch', module: DispatchModule });
