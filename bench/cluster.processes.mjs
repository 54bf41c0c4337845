import { brokers, ownCluster } from './cluster.own.mjs';
import { caller } from './http.client.mjs';
import { freePort, KEY, launch, start } from './processes.mjs';

const SERVICES = ['contacts', 'renderer', 'dispatch', 'tracker', 'gateway'];
/** Part of the log line of a process that is ready; other lines may say that something is not ready. */
const READY = '"msg":"ready"';

/** Starts some of the services as processes of their own, by default on all cores. */
export async function services(names, environment, cores = '0-1') {
  const own = ownCluster();
  const ports = {};
  for (const name of SERVICES) ports[name] = await freePort();
  const urls = Object.fromEntries(
    SERVICES.map((name) => [`${name.toUpperCase()}_URL`, `http://127.0.0.1:${ports[name]}`]),
  );
  const running = await Promise.all(
    names.map((name) =>
      start(
        `dist/apps/${name}/src/main.js`,
        {
          ...urls,
          PORT: String(ports[name]),
          HOST: '127.0.0.1',
          RATE_LIMIT: '0',
          BOOTSTRAP_API_KEY: KEY,
          KAFKA_BROKERS: brokers().join(),
          KAFKA_TOPIC_PREFIX: own.prefix,
          MONGODB_URI: own.mongodbUri,
          INTERNAL_SECRET: 's'.repeat(32),
          SMTP_URL: 'smtp://127.0.0.1:9?tls=off',
          ...environment,
        },
        READY,
        cores,
      ),
    ),
  );
  const stop = async () => {
    await Promise.all(running.map((one) => one.stop()));
    await own.remove();
  };
  return {
    own,
    url: `http://127.0.0.1:${ports.gateway}`,
    pids: running.map(({ pid }) => pid),
    stop,
  };
}

/** The five processes, with the same interface as `lettermill`, which is the single process. */
export async function fiveProcesses(environment) {
  const { url, stop } = await services(SERVICES, environment);
  const call = caller(url, KEY);
  await launch(call);
  return { url, call, stop };
}
