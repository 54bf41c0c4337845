// The cost of a million waiting deliveries compared to ten thousand: memory of the process, and start-up time of the service. The store
// is filled directly; nothing is due before tomorrow. Prints one line per size.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { readFileSync } from 'node:fs';
import { dispatchService, pause, queued, told } from './dispatch.service.mjs';
import { extent } from './extent.mjs';
import { freePort, start, temporaryDirectory } from './processes.mjs';

const SIZES = extent([10_000, 1_000_000], [1_000, 5_000]);
const BATCH_SIZE = extent(5_000, 1_000);
const DAY_MS = 86_400_000;

async function fill(size) {
  const require = createRequire(import.meta.url);
  const { newDelivery } = require('../dist/apps/dispatch/src/deliveries/delivery.job.js');
  const { store } = await dispatchService(1);
  for (let i = 0; i < size; i += BATCH_SIZE) {
    const one = (n) =>
      newDelivery(
        queued(i + n, `user-${i + n}@d${n % 50}.example`, 'normal', { text: 'Short.\n' }),
        Date.now() + DAY_MS,
      );
    await store.insert(Array.from({ length: BATCH_SIZE }, (_, n) => one(n)));
  }
}

async function run() {
  const { started, store } = await dispatchService(1);
  await pause(3_000);
  globalThis.gc?.();
  const resident = Number(/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
  const waiting = await store.countWaiting(2_000_000);
  told(`${waiting} waiting: started in ${started} ms, ${resident.toFixed(0)} MiB resident`);
}

export async function queue() {
  for (const size of SIZES) {
    const data = temporaryDirectory();
    const environment = { SIZE: String(size), DATA_DIR: data.path, PORT: String(await freePort()) };
    await (await start('bench/queue.mjs', { ...environment, ROLE: 'fill' }, 'filled')).stop();
    const running = await start('bench/queue.mjs', { ...environment, ROLE: 'run' }, 'resident');
    process.stdout.write(running.output());
    await running.stop();
    data.remove();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.env.ROLE === 'fill') {
    await fill(Number(process.env.SIZE));
    told('filled');
  } else if (process.env.ROLE === 'run') await run();
  else {
    await queue();
    process.exit(0);
  }
}
