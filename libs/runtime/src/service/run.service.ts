import { openCluster } from '../platform/cluster.platform';
import type { OpenPlatform } from '../platform/open.platform';
import { stopTracing } from '../tracing/tracing';
import { waitForDrain } from '../health/draining';
import { SHUTDOWN_GRACE_MS } from './http.server';
import { runProcess } from './process';
import { Service, type ServiceDefinition } from './service';

/** Runs one service of the cluster profile as a process of its own. */
export function runService(definition: ServiceDefinition): void {
  runProcess(definition.name, (config, logger, die) => {
    let open: OpenPlatform | undefined;
    let creating: Promise<Service> | undefined;
    let isStopping = false;
    let isServing = false;
    return {
      start: async () => {
        open = await openCluster(config, definition.name, logger);
        creating = Service.create(definition, open.platform, die);
        const service = await creating;
        if (isStopping) return;
        const url = await service.start(config.host, config.port);
        isServing = true;
        logger.info({ url }, 'ready');
      },
      stop: async () => {
        isStopping = true;
        // The platform must not be closed while a service is being created on it.
        const service = await creating?.catch(() => undefined);
        service?.drain();
        if (isServing) await waitForDrain(config);
        await service?.close(SHUTDOWN_GRACE_MS);
        await open?.close();
        await stopTracing();
      },
    };
  });
}
