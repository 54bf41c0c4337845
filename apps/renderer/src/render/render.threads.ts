import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { closeSharedCompiler, RenderPool } from '@lettermill/templates';

/** The render pool of this service; it is closed when the service ends. */
@Injectable()
export class RenderThreads extends RenderPool implements OnApplicationShutdown {
  constructor() {
    super();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.close(), closeSharedCompiler()]);
  }
}
