import autocannon from 'autocannon';
import { extent, pairsOf } from './extent.mjs';
import { freePort, KEY, start, temporaryDirectory } from './processes.mjs';

const PAIRS = pairsOf();
const CONNECTIONS = 50;
/** Seconds to measure; with --try a number of requests, because on a busy machine a second may pass without an answer. */
const LOAD = extent({ duration: 4 }, { amount: CONNECTIONS, timeout: 60 });
/** Runs that only warm the process up: in its first seconds most time goes into compilation. */
const WARM_UPS = extent(1, 0);

function body(recipients) {
  const to = Array.from({ length: recipients }, (_, i) => ({
    contact_key: { email: `user-${i}@example.com` },
    profile_data: {
      first_name: `Name ${i}`,
      order: { number: `O-${i}`, total: '12.50' },
    },
  }));
  return JSON.stringify({
    campaign: 'bench',
    to: recipients === 1 ? to[0] : to,
    profile_data: {
      shop: 'Leeds',
      opened: '2026-01-01',
      notes: 'x'.repeat(600),
    },
  });
}

/** The request, as an option of autocannon. */
export function requestOf(url, recipients) {
  const headers = {
    authorization: `Bearer ${KEY}`,
    'content-type': 'application/json',
  };
  return {
    url: `${url}/v2/send/email`,
    method: 'POST',
    headers,
    body: body(recipients),
  };
}

async function rate(url, recipients) {
  const result = await autocannon({ ...requestOf(url, recipients), connections: CONNECTIONS, ...LOAD });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refused, ${result.errors} errors`);
  return (result['2xx'] * recipients) / result.duration;
}

/** Whether the server accepts such a request yet. */
export async function accepts(url, recipients) {
  const { url: address, ...request } = requestOf(url, recipients);
  const answer = await fetch(address, request);
  await answer.arrayBuffer();
  return answer.status === 202;
}

async function measured(file, recipients) {
  const port = await freePort();
  const data = temporaryDirectory();
  const environment = {
    PORT: String(port),
    DATA_DIR: data.path,
    BOOTSTRAP_API_KEY: KEY,
  };
  const server = await start(file, environment, 'ready');
  const url = `http://127.0.0.1:${port}`;
  for (let i = 0; i < WARM_UPS; i += 1) await rate(url, recipients);
  const result = await rate(url, recipients);
  await server.stop();
  data.remove();
  return result;
}

/** Only accepting, against bare Fastify with a compiled schema and the same durable log. */
export async function accept(recipients) {
  const pairs = [];
  for (let i = 0; i < PAIRS; i += 1) {
    const ours = await measured('bench/gateway.mjs', recipients);
    pairs.push({
      ours,
      bare: await measured('bench/bare.accept.mjs', recipients),
    });
  }
  return {
    unit: 'recipients/s',
    baseline: 'bare Fastify, compiled schema, same log',
    pairs,
  };
}
