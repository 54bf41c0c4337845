// Sends over kept-alive connections until /tmp/stop exists, then checks that each accepted message was sent. Arguments: the API key, and
// `rolling` or `killed`. When pods are killed, requests may fail, but no accepted message may be lost. If some are not sent in time, it
// tells what is known of them, and whether they are sent later.
import { existsSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';

const [key, mode] = process.argv.slice(2);
const STOP = '/tmp/stop';
const AT_MOST_MS = 900_000;
/**
 * A mail that a killed dispatch had in hand is sent again when its lease is over (60 s), that was noticed (up to 40 s, by a process that has
 * just started), and the first of RETRY_DELAYS (60 s, and some jitter) has passed.
 */
const PATIENCE_MS = 240_000;
const LATE_MS = 300_000;
const TOLD = 5;
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

/** Looks at each of them once; resolves to those that are not sent, with what was answered. */
async function notSent(ids) {
  const left = [...ids];
  const found = new Map();
  const look = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      const { status, text } = await call('GET', `/v2/messages/${id}`).catch(({ code, message }) => ({
        text: code ?? message,
      }));
      if (status !== 200 || JSON.parse(text).state !== 'sent') found.set(id, `${status ?? 'no answer'} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, look));
  return found;
}

/** Waits until all are sent; the last look begins when the time is over. */
async function waitUntilSent(ids, ms) {
  const patience = Date.now() + ms;
  for (let waiting = new Map(ids.map((id) => [id, ''])); ; await sleep(1000)) {
    const isLast = Date.now() >= patience;
    waiting = await notSent(waiting.keys());
    if (waiting.size === 0 || isLast) return waiting;
  }
}

const loadEnded = Date.now();
const seconds = () => Math.round((Date.now() - loadEnded) / 1000);
const waiting = await waitUntilSent(accepted, PATIENCE_MS);
console.log(`${accepted.length - waiting.size} of ${accepted.length} sent ${seconds()} s after the load`);
for (const [id, answer] of [...waiting].slice(0, TOLD)) console.log(`${id}: ${answer}`);
if (waiting.size > 0) {
  const late = await waitUntilSent([...waiting.keys()], LATE_MS);
  console.log(`${late.size} of these ${waiting.size} not sent ${seconds()} s after the load`);
  for (const [id, answer] of [...late].slice(0, TOLD)) console.log(`${id}: ${answer}`);
}
process.exit(waiting.size > 0 || (mode !== 'killed' && failed > 0) || accepted.length === 0 ? 1 : 0);
