// Sends over kept-alive connections until /tmp/stop exists, then checks that each accepted message was sent. Arguments: the API key, and
// `rolling` or `killed`. When pods are killed, requests may fail, but no accepted message may be lost.
import { existsSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';

const [key, mode] = process.argv.slice(2);
const STOP = '/tmp/stop';
const AT_MOST_MS = 900_000;
const LANES = 8;
const PAUSE_MS = 100;
const authorization = `Bearer ${key}`;
const agent = new Agent({ keepAlive: true, maxSockets: LANES });
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function call(method, path, body) {
  return new Promise((resolve, reject) => {
    const headers = { authorization, ...(body && { 'content-type': 'application/json' }) };
    const sent = request({ host: 'gateway', port: 3000, method, path, headers, agent, timeout: 20_000 }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => (text += part));
      answer.on('end', () => resolve({ status: answer.statusCode, text }));
      answer.on('error', reject);
    });
    sent.on('timeout', () => sent.destroy(new Error('timeout')));
    sent.on('error', reject);
    sent.end(body);
  });
}

const accepted = [];
const failures = new Map();
const end = Date.now() + AT_MOST_MS;
rmSync(STOP, { force: true });
const slowest = { ms: 0 };

async function lane(number) {
  for (let i = 0; !existsSync(STOP) && Date.now() < end; i += 1) {
    const to = { email: `load-${mode}-${number}-${i}@example.com` };
    const from = Date.now();
    try {
      const { status, text } = await call('POST', '/v2/send/email', JSON.stringify({ campaign: 'welcome', to }));
      if (status !== 202) throw new Error(`status ${status}`);
      accepted.push(JSON.parse(text).messages[0].message_id);
    } catch (error) {
      const what = error.code ?? error.message;
      failures.set(what, (failures.get(what) ?? 0) + 1);
    }
    slowest.ms = Math.max(slowest.ms, Date.now() - from);
    await sleep(PAUSE_MS);
  }
}
await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));

const failed = [...failures.values()].reduce((sum, count) => sum + count, 0);
console.log(
  `${accepted.length} accepted, ${failed} failed ${JSON.stringify(Object.fromEntries(failures))}, slowest ${slowest.ms} ms`,
);

// Wait until all accepted messages are sent.
const patience = Date.now() + 120_000;
let waiting = accepted;
const states = new Map();
while (waiting.length > 0 && Date.now() < patience) {
  const still = [];
  for (const id of waiting) {
    const { status, text } = await call('GET', `/v2/messages/${id}`).catch(() => ({ status: 0 }));
    const { state, reason } = status === 200 ? JSON.parse(text) : { state: `status ${status}` };
    states.set(id, reason ? `${state}, ${reason.code}: ${reason.detail}` : state);
    if (state !== 'sent') still.push(id);
  }
  waiting = still;
  if (waiting.length > 0) await sleep(1000);
}
console.log(`${accepted.length - waiting.length} of ${accepted.length} sent`);
for (const id of waiting.slice(0, 5)) console.log(`${id}: ${states.get(id)}`);
process.exit(waiting.length > 0 || (mode !== 'killed' && failed > 0) || accepted.length === 0 ? 1 : 0);
