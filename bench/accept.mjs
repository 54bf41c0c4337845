import autocannon from 'autocannon';
import { freePort, KEY, lettermill, start, temporaryDirectory } from './processes.mjs';

const PAIRS = 5;
const SECONDS = 4;
const CONNECTIONS = 50;

function body(recipients) {
  const to = Array.from({ length: recipients }, (_, i) => ({
    contact_key: { email: `user-${i}@example.com` },
    profile_data: { first_name: `Name ${i}`, order: { number: `O-${i}`, total: '12.50' } },
  }));
  return JSON.stringify({
    campaign: 'bench',
    to: recipients === 1 ? to[0] : to,
    profile_data: { shop: 'Leeds', opened: '2026-01-01', notes: 'x'.repeat(600) },
  });
}

async function rate(url, recipients, seconds) {
  const result = await autocannon({
    url: `${url}/v2/send/email`,
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: body(recipients),
    connections: CONNECTIONS,
    duration: seconds,
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refused, ${result.errors} errors`);
  return (result['2xx'] * recipients) / result.duration;
}

/** Accepting, against bare Fastify with a compiled schema and the same durable log. What follows acceptance is paused by a hop that is away. */
export async function accept(recipients) {
  const pairs = [];
  for (let i = 0; i < PAIRS; i += 1) {
    const ours = await lettermill({ SMTP_URL: `smtp://127.0.0.1:${await freePort()}?tls=off`, LETTERMILL_BENCH: '1' });
    await rate(ours.url, recipients, 1);
    const oursRate = await rate(ours.url, recipients, SECONDS);
    await ours.stop();
    const port = await freePort();
    const data = temporaryDirectory();
    const bare = await start('bench/bare.accept.mjs', { PORT: String(port), DATA_DIR: data.path }, 'ready');
    await rate(`http://127.0.0.1:${port}`, recipients, 1);
    const bareRate = await rate(`http://127.0.0.1:${port}`, recipients, SECONDS);
    await bare.stop();
    data.remove();
    pairs.push({ ours: oursRate, bare: bareRate });
  }
  return { unit: 'recipients/s', baseline: 'bare Fastify, compiled schema, same log', pairs };
}
