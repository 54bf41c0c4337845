// From the first call to the last mail at the next hop, against Postfix from the Debian package: durable at both ends. Needs root.
//   apt-get install postfix && npm run bench:postfix [pairs]
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { throughLettermill } from './pipeline.mjs';
import { freePort, start } from './processes.mjs';
import { count, reaches } from './sink.count.mjs';

const MESSAGES = 3000;
const SESSIONS = 20;
const BYTES = 7200;

/** As packaged, except for its directories, twenty processes for each side, and one next hop for all mail. */
async function postfix(relayPort) {
  const directory = mkdtempSync(join(tmpdir(), 'lettermill-postfix-'));
  const port = await freePort();
  chmodSync(directory, 0o755);
  for (const name of ['queue', 'data']) mkdirSync(join(directory, name));
  execFileSync('chown', ['postfix', join(directory, 'data')]);
  const main = [
    'compatibility_level = 3.6',
    `queue_directory = ${directory}/queue`,
    `data_directory = ${directory}/data`,
    `maillog_file = ${directory}/log`,
    `maillog_file_prefixes = ${directory}`,
    'myhostname = postfix.bench.test',
    'mydestination =',
    'inet_interfaces = 127.0.0.1',
    'inet_protocols = ipv4',
    `relayhost = [127.0.0.1]:${relayPort}`,
    'mynetworks = 127.0.0.0/8',
    'smtp_dns_support_level = disabled',
    'smtp_host_lookup = native',
    'smtp_tls_security_level = none',
    'smtpd_client_connection_count_limit = 0',
    `default_process_limit = ${SESSIONS}`,
    `default_destination_concurrency_limit = ${SESSIONS}`,
    `initial_destination_concurrency = ${SESSIONS}`,
  ];
  const unix = (name, command = name) => `${name} unix - - n - - ${command}`;
  const master = [
    `127.0.0.1:${port} inet n - n - - smtpd`,
    'postlog unix-dgram n - n - 1 postlogd',
    'cleanup unix n - n - 0 cleanup',
    'qmgr unix n - n 300 1 qmgr',
    'rewrite unix - - n - - trivial-rewrite',
    'bounce unix - - n - 0 bounce',
    'defer unix - - n - 0 bounce',
    'trace unix - - n - 0 bounce',
    ...['smtp', 'error', 'anvil', 'scache', 'proxymap'].map((name) => unix(name)),
    unix('relay', 'smtp'),
    unix('retry', 'error'),
  ];
  writeFileSync(join(directory, 'main.cf'), `${main.join('\n')}\n`);
  writeFileSync(join(directory, 'master.cf'), `${master.join('\n')}\n`);
  const command = (what) => {
    const { status, stderr } = spawnSync('postfix', ['-c', directory, what], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`postfix ${what}: ${stderr}`);
  };
  command('start');
  const stop = () => {
    command('stop');
    rmSync(directory, { recursive: true, force: true });
  };
  return { port, stop };
}

/** Runs Postfix's own load generator; rejects if a mail was refused. */
function smtpSource(port, messages) {
  const args = ['-s', SESSIONS, '-l', BYTES, '-m', messages, '-f', 'bench@shop.example', '-t', 'user@example.com'];
  return new Promise((resolve, reject) => {
    const child = spawn('smtp-source', [...args.map(String), `inet:127.0.0.1:${port}`], { stdio: 'inherit' });
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`smtp-source ended with ${code}`))));
  });
}

async function throughPostfix(sink) {
  const server = await postfix(sink);
  try {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const before = await count(sink);
    await smtpSource(server.port, 200);
    await reaches(sink, before + 200);
    const began = process.hrtime.bigint();
    await smtpSource(server.port, MESSAGES);
    await reaches(sink, before + 200 + MESSAGES);
    return MESSAGES / (Number(process.hrtime.bigint() - began) / 1e9);
  } finally {
    server.stop();
  }
}

/** The load generator directly to the sink: a rate that neither side can exceed. */
async function ceiling(sink) {
  const began = process.hrtime.bigint();
  await smtpSource(sink, MESSAGES);
  return MESSAGES / (Number(process.hrtime.bigint() - began) / 1e9);
}

if (spawnSync('smtp-source', []).error || process.getuid?.() !== 0) {
  process.stderr.write('needs Postfix (apt-get install postfix) and root\n');
  process.exit(1);
}
const port = await freePort();
const sink = await start('bench/sink.mjs', { PORT: String(port) }, 'ready', 1);
process.stdout.write(`the sink alone: ${Math.round(await ceiling(port))} messages/s\n`);
const pairs = [];
for (let i = 0; i < Number(process.argv[2] ?? 5); i += 1) {
  const pair = {
    one: await throughLettermill(port, 1),
    postfix: await throughPostfix(port),
    many: await throughLettermill(port, 100),
  };
  pairs.push(pair);
  const [one, many, theirs] = [pair.one, pair.many, pair.postfix].map(Math.round);
  process.stdout.write(`Postfix ${theirs}/s; Lettermill ${one}/s with 1 recipient a call, ${many}/s with 100\n`);
}
await sink.stop();
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const ratio = (what) => median(pairs.map((pair) => pair[what] / pair.postfix)).toFixed(2);
process.stdout.write(
  `medians of ${pairs.length} pairs: ${ratio('one')} × Postfix with 1 recipient a call, ${ratio('many')} × with 100\n`,
);
process.exit(0);
