// DKIM with RSA of 2048 bits. `composed`: mails are composed and signed, as dispatch does before it talks to the next hop. `dispatch`:
// dispatch alone, from rendered messages in memory to the last signed mail at the sink. The baseline only signs: by Node, off the event
// loop, four at a time.
import { createRequire } from 'node:module';
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { dispatchService, queued, told } from './dispatch.service.mjs';
import { extent, pairsOf } from './extent.mjs';
import { freePort, start, temporaryDirectory } from './processes.mjs';
import { count, reaches } from './sink.count.mjs';

const PAIRS = pairsOf();
const WARM = extent(2000, 100);
const MESSAGES = extent(4000, 200);
const IN_FLIGHT = 4;
/** Concurrent attempts of dispatch. */
const ATTEMPTS = 10;
const HEADER_BYTES = 700;
const HERE = 'bench/dkim.mjs';
const TEXT = 'Your order of the day is on its way to you, thank you.\n'.repeat(120);

const require = createRequire(import.meta.url);
const ours = (path) => require(`../dist/apps/dispatch/src/${path}.js`);
const rsaKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const message = (i) => queued(i, `user-${i}@example.com`, 'normal', { text: TEXT });

/** Runs `how` lanes, each of which takes the next number when it is done with one. */
async function lanes(how, first, many, work) {
  let next = first;
  const lane = async () => {
    while (next < first + many) await work(next++);
  };
  await Promise.all(Array.from({ length: how }, lane));
}

/** The rate per second after a warm-up, and its cost. */
async function rate(run) {
  await run(0, WARM);
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const cpu = process.cpuUsage();
  const began = process.hrtime.bigint();
  await run(WARM, MESSAGES);
  const seconds = Number(process.hrtime.bigint() - began) / 1e9;
  const { user, system } = process.cpuUsage(cpu);
  const p99 = (delay.percentile(99) / 1e6).toFixed(1);
  const each = Math.round((user + system) / MESSAGES);
  process.stderr.write(`# ${process.env.ROLE}: ${each} us of CPU each; event loop delay p99 ${p99} ms\n`);
  return MESSAGES / seconds;
}

const ROLES = {
  bare() {
    const key = rsaKey();
    const header = randomBytes(HEADER_BYTES);
    const one = () =>
      new Promise((resolve, reject) => sign('sha256', header, key, (error) => (error ? reject(error) : resolve())));
    return rate((first, many) => lanes(IN_FLIGHT, first, many, one));
  },

  composed() {
    const { signMail } = ours('dkim/dkim.sign');
    const { composeMail } = ours('mime/mime.composer');
    const keys = [{ algorithm: 'rsa-sha256', domain: 'shop.example', selector: 'bench', key: rsaKey() }];
    return rate((first, many) =>
      lanes(ATTEMPTS, first, many, (i) => signMail(composeMail(message(i).data.mail), keys, Date.now())),
    );
  },

  async dispatch() {
    const sink = Number(process.env.SINK);
    const { service, take } = await dispatchService(sink);
    const { Domains } = ours('domains/domains');
    const ref = { accountId: 'default', domain: 'shop.example' };
    await service.app.get(Domains).put(ref, { sign: 'always', ed25519: false });
    return rate(async (first, many) => {
      const before = await count(sink);
      for (let i = first; i < first + many; i += 100) await take(Array.from({ length: 100 }, (_, n) => message(i + n)));
      await reaches(sink, before + many);
    });
  },
};

async function measured(role, sink) {
  const data = temporaryDirectory();
  const environment = { ROLE: role, SINK: String(sink), PORT: String(await freePort()), DATA_DIR: data.path };
  const running = await start(HERE, environment, 'a second');
  await running.stop();
  data.remove();
  return Number(/([\d.]+) a second/.exec(running.output())[1]);
}

/** `role` is `composed` or `dispatch`. */
export async function dkim(role) {
  const port = await freePort();
  const sink = await start('bench/sink.mjs', { PORT: String(port) }, 'ready', 1);
  const pairs = [];
  for (let i = 0; i < PAIRS; i += 1) {
    pairs.push({ ours: await measured(role, port), bare: await measured('bare', port) });
  }
  await sink.stop();
  return { unit: 'messages/s', baseline: 'crypto.sign alone, 4 in flight', pairs };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) told(`${await ROLES[process.env.ROLE]()} a second`);
