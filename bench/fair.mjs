// The throughput of other recipient domains while one answers only after ten seconds. As many messages to the slow domain as to the others
// are ahead of theirs in the queue; the baseline is the same run without them.
import { fileURLToPath } from 'node:url';
import { dispatchService, queued, told } from './dispatch.service.mjs';
import { extent, pairsOf } from './extent.mjs';
import { ANY_CORE, freePort, start, temporaryDirectory } from './processes.mjs';
import { count, reaches } from './sink.count.mjs';

const PAIRS = pairsOf();
const WARM = extent(2000, 100);
/** Enough for a run of some seconds. */
const MESSAGES = extent(15_000, 500);
const SLOW_MS = 10_000;
const DOMAINS = 20;

async function rate(port, slowFirst) {
  const { take } = await dispatchService(port);
  const fast = (i) => queued(i, `user-${i}@fast-${i % DOMAINS}.example`);
  const many = (first, length, make) => Array.from({ length }, (_, n) => make(first + n));
  const before = await count(port);
  await take(many(0, WARM, fast));
  await reaches(port, before + WARM);
  if (slowFirst) {
    await take(many(1_000_000, MESSAGES, (i) => queued(i, `user-${i}@slow.example`)));
  }
  const began = process.hrtime.bigint();
  for (let i = 0; i < MESSAGES; i += 500) await take(many(WARM + i, 500, fast));
  await reaches(port, before + WARM + MESSAGES);
  return MESSAGES / (Number(process.hrtime.bigint() - began) / 1e9);
}

async function measured(role, sink) {
  const data = temporaryDirectory();
  const environment = { ROLE: role, SINK: String(sink), PORT: String(await freePort()), DATA_DIR: data.path };
  const running = await start('bench/fair.mjs', environment, 'mails/s', ANY_CORE);
  await running.stop();
  data.remove();
  return Number(/([\d.]+) mails\/s/.exec(running.output())[1]);
}

export async function fair() {
  const port = await freePort();
  const sink = await start('bench/sink.mjs', { PORT: String(port), SLOW_MS: String(SLOW_MS) }, 'ready', 1);
  const pairs = [];
  for (let i = 0; i < PAIRS; i += 1) {
    pairs.push({ ours: await measured('beside', port), bare: await measured('alone', port) });
  }
  await sink.stop();
  return { unit: 'messages/s', baseline: 'without the slow domain', pairs };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  told(`${await rate(Number(process.env.SINK), process.env.ROLE === 'beside')} mails/s`);
}
