// Dispatch alone against nodemailer's pool, which stores nothing: the same mails in memory, as many connections, one sink.
//   service  the whole service: mails are stored durably, claimed and sent, each outcome is recorded and announced on the durable log
//   sending  only the part that does the pool's work: composes and speaks SMTP, and stores nothing, either
// Before that it shows how much the sink takes from sockets that write the same mail again and again, with the least SMTP that works.
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createTransport } from 'nodemailer';
import { dispatchService, queued, told } from './dispatch.service.mjs';
import { extent, pairsOf } from './extent.mjs';
import { ANY_CORE, freePort, start, temporaryDirectory } from './processes.mjs';
import { count, reaches } from './sink.count.mjs';

const PAIRS = pairsOf();
const WARM = extent(4000, 100);
/** Each run takes some seconds. */
const MESSAGES = {
  service: extent(10_000, 200),
  sending: extent(20_000, 200),
  nodemailer: extent(6000, 200),
  sockets: extent(40_000, 200),
};
const CONNECTIONS = 10;
const HERE = 'bench/dispatch.mjs';

const require = createRequire(import.meta.url);
const built = (path) => require(`../dist/apps/dispatch/src/${path}.js`);
const row = '<tr><td style="padding:4px">Your order of the day is on its way to you.</td><td>1</td></tr>\n';
const html = (i) => `<html><body><h1>Hello Name ${i}</h1>\n<table>\n${row.repeat(36)}</table></body></html>\n`;
const text = (i) => `Hello Name ${i}\n\n${'Your order of the day is on its way to you, thank you.\n'.repeat(60)}`;
const message = (i) => queued(i, `user-${i}@example.com`, 'normal', { text: text(i), html: html(i) });

/** Mails per second, after a warm-up. */
async function rate(port, send) {
  const messages = MESSAGES[process.env.ROLE];
  const before = await count(port);
  await send(0, WARM);
  await reaches(port, before + WARM);
  const began = process.hrtime.bigint();
  const cpu = process.cpuUsage();
  await send(WARM, messages);
  await reaches(port, before + WARM + messages);
  const seconds = Number(process.hrtime.bigint() - began) / 1e9;
  const { user, system } = process.cpuUsage(cpu);
  process.stderr.write(`# ${process.env.ROLE}: ${Math.round((user + system) / messages)} us of CPU a message\n`);
  return messages / seconds;
}

const ROLES = {
  async service(port) {
    const { take } = await dispatchService(port);
    return rate(port, async (first, many) => {
      for (let i = 0; i < many; i += 100) await take(Array.from({ length: 100 }, (_, n) => message(first + i + n)));
    });
  },

  async sending(port) {
    const { service } = await dispatchService(port);
    const mails = service.app.get(built('sending/signed.mails').SignedMails);
    const pool = service.app.get(built('hop/hop.pool').SmtpPool);
    const { Withdrawal } = built('smtp/smtp.withdrawal');
    const one = async (i) => {
      const { account_id, envelope, mail } = message(i).data;
      const body = await mails.compose(account_id, mail);
      const content = { size: body.size, eightBit: body.eightBit, chunks: () => body.chunks() };
      const end = await pool.send({ ...envelope, main: mail.to.email }, content, new Withdrawal());
      if (end?.outcome !== 'sent') throw new Error(`not sent: ${JSON.stringify(end)}`);
    };
    return rate(port, async (first, many) => {
      let next = first;
      const lane = async () => {
        while (next < first + many) await one(next++);
      };
      // For each mail that is being sent another one waits, as in the service.
      await Promise.all(Array.from({ length: 2 * CONNECTIONS }, lane));
    });
  },

  nodemailer(port) {
    const pool = { pool: true, maxConnections: CONNECTIONS, maxMessages: Infinity };
    const transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true, ...pool });
    return rate(port, (first, many) =>
      Promise.all(
        Array.from({ length: many }, (_, n) => {
          const i = first + n;
          const [from, to] = ['bench@shop.example', `user-${i}@example.com`];
          return transport.sendMail({ from, to, subject: `Hello ${i}`, text: text(i), html: html(i) });
        }),
      ),
    );
  },

  sockets: (port) =>
    rate(port, (_first, many) =>
      Promise.all(Array.from({ length: CONNECTIONS }, () => overSocket(port, many / CONNECTIONS))),
    ),
};

/** Sends `many` mails over one connection; each write ends one mail and begins the next. */
function overSocket(port, many) {
  const { envelope, mail } = message(0).data;
  const next = `MAIL FROM:<${envelope.from}>\r\nRCPT TO:<${envelope.to[0]}>\r\nDATA\r\n`;
  const content = `Subject: ${mail.subject}\r\n\r\n${`${mail.text}${mail.html}`.replaceAll('\n', '\r\n')}\r\n.\r\n`;
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('EHLO bench\r\n'));
    let left = many;
    socket.setNoDelay(true).on('error', reject).on('close', resolve);
    socket.setEncoding('latin1').on('data', (answers) => {
      if (answers.includes('250 SIZE')) socket.write(next);
      if (answers.includes('354 ')) socket.write(content + (--left > 0 ? next : 'QUIT\r\n'));
    });
  });
}

async function measured(role, sink) {
  const data = temporaryDirectory();
  const environment = { ROLE: role, SINK: String(sink), PORT: String(await freePort()), DATA_DIR: data.path };
  const running = await start(HERE, environment, 'mails/s', ANY_CORE);
  await running.stop();
  data.remove();
  return Number(/([\d.]+) mails\/s/.exec(running.output())[1]);
}

export async function dispatch(role) {
  const port = await freePort();
  const sink = await start('bench/sink.mjs', { PORT: String(port) }, 'ready', 1);
  process.stderr.write(`# the sink takes ${Math.round(await measured('sockets', port))} messages/s\n`);
  const pairs = [];
  for (let i = 0; i < PAIRS; i += 1) {
    pairs.push({ ours: await measured(role, port), bare: await measured('nodemailer', port) });
  }
  await sink.stop();
  return { unit: 'messages/s', baseline: "nodemailer's pool from memory, not durable", pairs };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  told(`${await ROLES[process.env.ROLE](Number(process.env.SINK))} mails/s`);
}
