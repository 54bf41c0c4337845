import { once } from 'node:events';
import { request } from 'node:http';
import { extent, pairsOf } from './extent.mjs';
import { freePort, KEY, start, temporaryDirectory } from './processes.mjs';

const PAIRS = pairsOf(3);
/** With --try the bodies are smaller by this factor. */
const SHARE = extent(1, 0.01);

const of = (text, times) => text.repeat(Math.ceil(times * SHARE));
const TO = '"campaign":"bench","to":"a@bench.example"';
const keys = (count) => Array.from({ length: Math.ceil(count * SHARE) }, (_, i) => `"k${i}":1`).join();

/** The bodies that are most expensive for a parser that reads each byte, value, key or escape more than once. */
const BODIES = {
  'a million brackets': of('[', 1_000_000),
  'ten million objects': `[${of('{},', 10_000_000)}{}]`,
  'a million keys': `{${TO},${keys(1_000_000)}}`,
  '20 MB of quotes': of('"', 20_000_000),
  '20 MB of escapes': `{"a":"${of('\\', 20_000_000)}`,
  'a number of 100,000 digits': `{${TO},"profile_data":{"a":1${of('0', 100_000)}}}`,
  'a header of 20 MB': `{${TO},"message":{"headers":{"X":"${of('a ', 10_000_000)}"}}}`,
  '200,000 recipients': `{"campaign":"bench","to":[${of('"x",', 200_000)}"x"]}`,
  'an address of 1 MB': `{"campaign":"bench","to":"${of('a.', 500_000)}@b.co"}`,
  'a template of open tags': `{${TO},"message":{"text":"${of('{%raw%}', 100_000)}"}}`,
  'a template of brackets': `{${TO},"message":{"text":"{{ ${of('a[', 300_000)} }}"}}`,
};

/** Milliseconds until the answer, which may come before the whole body is sent. */
async function refused(port, body) {
  const began = performance.now();
  const call = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/v2/send/email',
    agent: false,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'content-length': body.length },
  });
  call.end(body);
  const [response] = await once(call, 'response');
  // Sending the rest of the body may fail; the answer has arrived.
  call.on('error', () => undefined);
  await response.resume().toArray();
  if (response.statusCode < 400 || response.statusCode >= 500) throw new Error(`${response.statusCode}`);
  return performance.now() - began;
}

async function slowest(file) {
  const port = await freePort();
  const data = temporaryDirectory();
  const server = await start(file, { PORT: String(port), DATA_DIR: data.path, BOOTSTRAP_API_KEY: KEY }, 'ready');
  const found = [];
  for (const [what, text] of Object.entries(BODIES)) {
    const body = Buffer.from(text);
    await refused(port, body);
    found.push({ what, ms: await refused(port, body) });
  }
  await server.stop();
  data.remove();
  return found.reduce((one, other) => (other.ms > one.ms ? other : one));
}

/** The slowest refusal of these bodies, against Fastify and ajv with the same ones. */
export async function hostile() {
  const pairs = [];
  for (let i = 0; i < PAIRS; i += 1) {
    const ours = await slowest('bench/gateway.mjs');
    const bare = await slowest('bench/bare.refusal.mjs');
    process.stderr.write(
      `slowest: ${ours.what} in ${ours.ms.toFixed(0)} ms; bare: ${bare.what} in ${bare.ms.toFixed(0)} ms\n`,
    );
    pairs.push({ ours: ours.ms, bare: bare.ms });
  }
  return { unit: 'ms', baseline: 'bare Fastify, ajv', pairs };
}
