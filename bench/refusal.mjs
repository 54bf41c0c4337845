import { existsSync, readFileSync } from 'node:fs';
import { extent, pairsOf } from './extent.mjs';
import { freePort, KEY, start, temporaryDirectory } from './processes.mjs';

const PAIRS = pairsOf(3);
const REQUESTS = extent(300, 5);
const WARM_UP = extent(100, 5);

/** A hundred recipients with three faults each. */
const BODY = JSON.stringify({
  campaign: 'bench',
  to: Array.from({ length: 100 }, (_, i) => ({
    contact_key: { email: `user ${i} at example.com` },
    external_message_id: `not allowed ${i}`,
    profile_dat: { first_name: `Name ${i}` },
  })),
});

async function refuse(url, times) {
  for (let i = 0; i < times; i += 1) {
    const answer = await fetch(`${url}/v2/send/email`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: BODY,
    });
    const { errors } = await answer.json();
    if (answer.status !== 422 || errors.length < 300) throw new Error(`${answer.status}, ${errors?.length} faults`);
  }
}

/** Milliseconds that the main thread of the process has run on a core; if the system does not report them, wall time. */
function busy({ pid }) {
  const path = `/proc/${pid}/schedstat`;
  return existsSync(path) ? Number(readFileSync(path, 'utf8').split(' ')[0]) / 1e6 : performance.now();
}

async function measured(file) {
  const port = await freePort();
  const data = temporaryDirectory();
  const environment = { PORT: String(port), DATA_DIR: data.path, BOOTSTRAP_API_KEY: KEY };
  const server = await start(file, environment, 'ready');
  const url = `http://127.0.0.1:${port}`;
  await refuse(url, WARM_UP);
  const before = busy(server);
  await refuse(url, REQUESTS);
  const ms = busy(server) - before;
  await server.stop();
  data.remove();
  return (1000 * REQUESTS) / ms;
}

/** A 422 with 300 faults: refusals per second of event loop, against ajv that reports all errors of a plain schema. */
export async function refusal() {
  const pairs = [];
  for (let i = 0; i < PAIRS; i += 1) {
    const ours = await measured('bench/gateway.mjs');
    pairs.push({ ours, bare: await measured('bench/bare.refusal.mjs') });
  }
  const each = ({ ours, bare }) => `${(1000 / ours).toFixed(2)} ms against ${(1000 / bare).toFixed(2)} ms`;
  process.stderr.write(`a refusal holds the event loop for ${pairs.map(each).join(', ')}\n`);
  return { unit: '/s of event loop', baseline: 'bare Fastify, ajv with all errors', pairs };
}
