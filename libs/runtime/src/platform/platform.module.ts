import { Global, Module, type DynamicModule } from '@nestjs/common';
import { BLOB_STORE } from '@lettermill/blobs';
import { EVENT_LOG, EventPublisher } from '@lettermill/log';
import { STORAGE } from '@lettermill/storage';
import { PROBES, type Probes } from '../health/probes';
import { loggerOf } from '../logging/logger';
import { CAUGHT_UP, type CaughtUp } from './caught.up';
import { CLOCK, CONFIG, INSTANCE, LOGGER, SERVICE, type Platform, type ServiceName } from './platform';

/** Provides the platform to all providers of one service. */
@Global()
@Module({})
export class PlatformModule {
  static of(platform: Platform, service: ServiceName, caughtUp: CaughtUp, probes: Probes): DynamicModule {
    const providers = [
      { provide: CONFIG, useValue: platform.config },
      { provide: LOGGER, useValue: loggerOf(service, platform.logger) },
      { provide: EVENT_LOG, useValue: platform.log },
      { provide: STORAGE, useValue: platform.storage },
      { provide: BLOB_STORE, useValue: platform.blobs },
      { provide: SERVICE, useValue: service },
      { provide: INSTANCE, useValue: platform.instance },
      { provide: CLOCK, useValue: Date.now },
      { provide: CAUGHT_UP, useValue: caughtUp },
      { provide: PROBES, useValue: probes },
      EventPublisher,
    ];
    return { module: PlatformModule, providers, exports: providers };
  }
}
