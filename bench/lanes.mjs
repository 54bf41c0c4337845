// Messages of high priority while 100,000 of bulk are queued: p99 of the time from MessageQueued to the sink in milliseconds, against the
// same with an empty queue. Less is better; the ratio must not exceed 2.00.
import { fileURLToPath } from 'node:url';
import { createRequire } from 'node:module';
import { dispatchService, pause, queued, told } from './dispatch.service.mjs';
import { extent, pairsOf } from './extent.mjs';
import { ANY_CORE, freePort, start, temporaryDirectory } from './processes.mjs';
import { times } from './sink.count.mjs';

const PAIRS = pairsOf();
const HIGH = extent(300, 20);
const BULK = extent(100_000, 4_000);
const BATCH_SIZE = 2_000;
const SEND_INTERVAL_MS = 20;

async function latency(port, withBulk) {
  const { store, take } = await dispatchService(port);
  const { newDelivery } = createRequire(import.meta.url)('../dist/apps/dispatch/src/deliveries/delivery.job.js');
  for (let i = 0; withBulk && i < BULK; i += BATCH_SIZE) {
    const bulk = (n) => newDelivery(queued(1_000_000 + i + n, `user-${i + n}@d${n % 50}.example`, 'bulk'), Date.now());
    await store.insert(Array.from({ length: BATCH_SIZE }, (_, n) => bulk(n)));
  }
  // The first 50 warm it up.
  for (let i = 0; i < HIGH + 50; i += 1) {
    const to = i < 50 ? `warm-${i}@code.example` : `user-${i}+${Date.now()}@code.example`;
    await take([queued(i, to, 'high')]);
    await pause(SEND_INTERVAL_MS);
  }
  while ((await times(port)).length < HIGH) await pause(20);
  return (await times(port)).toSorted((a, b) => a - b)[Math.floor(HIGH * 0.99)];
}

async function measured(role) {
  const data = temporaryDirectory();
  const port = await freePort();
  const sink = await start('bench/sink.mjs', { PORT: String(port) }, 'ready', 1);
  const environment = { ROLE: role, SINK: String(port), PORT: String(await freePort()), DATA_DIR: data.path };
  const running = await start('bench/lanes.mjs', environment, 'ms p99', ANY_CORE);
  await running.stop();
  await sink.stop();
  data.remove();
  return Number(/([\d.]+) ms p99/.exec(running.output())[1]);
}

export async function lanes() {
  const pairs = [];
  for (let i = 0; i < PAIRS; i += 1) pairs.push({ ours: await measured('behind'), bare: await measured('idle') });
  return { unit: 'ms', baseline: 'an empty queue', pairs };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  told(`${await latency(Number(process.env.SINK), process.env.ROLE === 'behind')} ms p99`);
}
