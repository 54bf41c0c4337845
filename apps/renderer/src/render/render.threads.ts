import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { closeSharedCompiler, RenderPool } from '@lettermill/templates';

/** The render pool of this service, ended with it. */
@Injectable()
export class RenderThreads extends RenderPool implements OnModuleDestroy {
  constructor() {
    super();
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all([this.close(), closeSharedCompiler()]);
  }
}
