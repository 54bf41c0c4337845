// One message at a time on an idle system: median time from request to mail at the sink, in milliseconds. Less is better.
import { extent, pairsOf } from './extent.mjs';
import { freePort, lettermill, start } from './processes.mjs';
import { times } from './sink.count.mjs';

const RUNS = pairsOf();
const WARM = extent(150, 10);
const MESSAGES = extent(200, 20);
const REQUEST_INTERVAL_MS = 40;
const BOUND_MS = 10;

async function median() {
  const port = await freePort();
  const sink = await start('bench/sink.mjs', { PORT: String(port) }, 'ready', 1);
  const subject = await lettermill({ SMTP_URL: `smtp://127.0.0.1:${port}?tls=off` });
  for (let i = 0; i < WARM + MESSAGES; i += 1) {
    const address = i < WARM ? `warm-${i}@code.example` : `user-${i}+${Date.now()}@code.example`;
    const status = await subject.call('POST', '/v2/send/email', { campaign: 'bench', to: { contact_key: address } });
    if (status !== 202) throw new Error(`refused: ${status}`);
    await new Promise((resolve) => setTimeout(resolve, REQUEST_INTERVAL_MS));
  }
  while ((await times(port)).length < MESSAGES) await new Promise((resolve) => setTimeout(resolve, 20));
  const sorted = (await times(port)).toSorted((a, b) => a - b);
  await subject.stop();
  await sink.stop();
  return sorted[MESSAGES / 2];
}

export async function idle() {
  const pairs = [];
  for (let i = 0; i < RUNS; i += 1) pairs.push({ ours: await median(), bare: BOUND_MS });
  return { unit: 'ms', baseline: 'the bound', pairs };
}
