import { runService } from '@lettermill/runtime';
import { RendererModule } from './renderer.module';

runService({ name: 'renderer', module: RendererModule });
