// The memory that waiting messages take: with 100,000 queued and no next hop, compared to 1,000.
import { extent } from './extent.mjs';
import { freePort, lettermill } from './processes.mjs';

const PER_CALL = 100;
const MIB = 1024 * 1024;
const FEW = extent(1_000, 100);
const MANY = extent(100_000, 300);
/** Takes the lowest value within so many seconds, so that garbage is not counted. */
const SETTLED_SECONDS = extent(30, 1);

async function figures(subject) {
  const text = await (await fetch(`${subject.url}/metrics`)).text();
  const figure = (name) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1] ?? NaN);
  return { rss: figure('process_resident_memory_bytes') / MIB, waiting: figure('lettermill_dispatch_waiting') };
}

async function settled(subject) {
  let lowest = Infinity;
  for (let i = 0; i < SETTLED_SECONDS; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    lowest = Math.min(lowest, (await figures(subject)).rss);
  }
  return lowest;
}

async function send(subject, from, to) {
  for (let first = from; first < to; first += PER_CALL) {
    const recipients = Array.from({ length: PER_CALL }, (_, i) => ({
      contact_key: `user-${first + i}@example.com`,
      profile_data: { first_name: `Name ${first + i}` },
    }));
    const status = await subject.call('POST', '/v2/send/email', { campaign: 'bench', to: recipients });
    if (status !== 202) throw new Error(`refused: ${status}`);
  }
  while ((await figures(subject)).waiting < Math.min(to, 10_000) - 10) {
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

const subject = await lettermill({ SMTP_URL: `smtp://127.0.0.1:${await freePort()}?tls=off` });
await send(subject, 0, FEW);
const few = await settled(subject);
await send(subject, FEW, MANY);
let found = 0;
while (found < MANY) {
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const text = await (await fetch(`${subject.url}/metrics`)).text();
  found = Number(
    /lettermill_events_handled_total\{service="dispatch",topic="message-queued"[^}]*\} (\d+)/.exec(text)?.[1] ?? 0,
  );
}
const many = await settled(subject);
process.stdout.write(
  `memory: ${few.toFixed(0)} MiB with ${FEW} queued, ${many.toFixed(0)} MiB with ${MANY}: ${(many - few).toFixed(0)} MiB more\n`,
);
await subject.stop();
process.exit(0);
