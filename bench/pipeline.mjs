import { createTransport } from 'nodemailer';
import { extent, pairsOf } from './extent.mjs';
import { count, reaches } from './sink.count.mjs';
import { freePort, lettermill, start } from './processes.mjs';

const PAIRS = pairsOf();
/** Enough for runs of some seconds, after a warm-up. */
const WARM = extent(2000, 200);
const messagesOf = (perCall) => extent(perCall === 1 ? 4000 : 10_000, 200);
const BARE = extent(6000, 200);
const CALLS_AT_ONCE = 8;

async function together(items, work) {
  const rest = items[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: CALLS_AT_ONCE }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}

export async function throughLettermill(port, perCall, make = lettermill) {
  const subject = await make({ SMTP_URL: `smtp://127.0.0.1:${port}?tls=off` });
  const send = (from, many) =>
    together(
      Array.from({ length: Math.ceil(many / perCall) }, (_, i) => from + i * perCall),
      async (first) => {
        const to = Array.from({ length: perCall }, (_, i) => ({
          contact_key: `user-${first + i}@example.com`,
          profile_data: { first_name: `Name ${first + i}` },
        }));
        const status = await subject.call('POST', '/v2/send/email', { campaign: 'bench', to });
        if (status !== 202) throw new Error(`refused: ${status}`);
      },
    );
  const messages = messagesOf(perCall);
  const before = await count(port);
  await send(0, WARM);
  await reaches(port, before + WARM);
  const began = process.hrtime.bigint();
  await send(WARM, messages);
  await reaches(port, before + WARM + messages);
  const seconds = Number(process.hrtime.bigint() - began) / 1e9;
  await subject.stop();
  return messages / seconds;
}

async function throughNodemailer(port) {
  const transport = createTransport({
    host: '127.0.0.1',
    port,
    pool: true,
    maxConnections: 10,
    maxMessages: Infinity,
    ignoreTLS: true,
  });
  const html = `<p>Hello</p>${'<p>Your order of the day is on its way to you.</p>'.repeat(60)}`;
  const mail = (i) => ({
    from: 'bench@shop.example',
    to: `user-${i}@example.com`,
    subject: `Hello Name ${i}`,
    text: `Hello Name ${i}, thank you.`,
    html,
  });
  await Promise.all(Array.from({ length: WARM }, (_, i) => transport.sendMail(mail(i))));
  const began = process.hrtime.bigint();
  await Promise.all(Array.from({ length: BARE }, (_, i) => transport.sendMail(mail(i))));
  const seconds = Number(process.hrtime.bigint() - began) / 1e9;
  transport.close();
  return BARE / seconds;
}

/** From the first call to the last mail at the next hop, against nodemailer's pool with mails from memory. */
export async function pipeline(perCall, make = lettermill) {
  const port = await freePort();
  const sink = await start('bench/sink.mjs', { PORT: String(port) }, 'ready', 1);
  const pairs = [];
  for (let i = 0; i < PAIRS; i += 1) {
    pairs.push({ ours: await throughLettermill(port, perCall, make), bare: await throughNodemailer(port) });
  }
  await sink.stop();
  return { unit: 'messages/s', baseline: "nodemailer's pool from memory, not durable", pairs };
}
