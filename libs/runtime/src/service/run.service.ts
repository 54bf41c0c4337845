import { openCluster } from '../platform/cluster.platform';
import type { OpenPlatform } from '../platform/open.platform';
import { stopTracing } from '../tracing/tracing';
import { drainTime } from './draining';
import { GRACE_MS } from './http.server';
import { runProcess } from './process';
import { Service, type ServiceDefinition } from './service';

/** Runs one service of the cluster profile as a process of its own. */
export function runService(definition: ServiceDefinition): void {
  runProcess(definition.name, (config, logger, die) => {
    let open: OpenPlatform | undefined;
    let making: Promise<Service> | undefined;
    let leaving = false;
    return {
      start: async () => {
        open = await openCluster(config, definition.name, logger);
        making = Service.create(definition, open.platform, die);
        const service = await making;
        if (leaving) return;
        const url = await service.start(config.host, config.port);
        logger.info({ url }, 'ready');
      },
      stop: async () => {
        leaving = true;
        // The platform must not be closed while a service is being created on it.
        const service = await making?.catch(() => undefined);
        service?.drain();
        await drainTime(config);
        await service?.close(GRACE_MS);
        await open?.close();
        await stopTracing();
      },
    };
  });
}
