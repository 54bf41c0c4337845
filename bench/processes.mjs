import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../test/installations/free.port.mjs';
import { caller } from './http.client.mjs';

export { freePort };

const PINNED = spawnSync('taskset', ['--version']).status === 0;

/** For programs with several threads: they and their baselines are measured as they run in practice. */
export const ANY_CORE = null;

/** Starts a process on one core, if the system can pin it; the load runs on the other. */
export async function start(file, environment, ready, core = 0) {
  const command = [process.execPath, file];
  const [name, ...args] = PINNED && core !== ANY_CORE ? ['taskset', '-c', String(core), ...command] : command;
  // By default the embedded profile.
  const env = { ...process.env, KAFKA_BROKERS: '', MONGODB_URI: '', ...environment };
  const child = spawn(name, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  await new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}: ${output}`)));
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      if (output.includes(ready)) resolve();
    });
  });
  const stop = () =>
    new Promise((resolve) => {
      child.once('exit', resolve);
      child.kill('SIGTERM');
    });
  return { output: () => output, stop, pid: child.pid };
}

export function temporaryDirectory() {
  const path = mkdtempSync(join(tmpdir(), 'lettermill-bench-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export const KEY = 'bench-key-of-account-default';

/** Starts Lettermill as a user does. */
export async function lettermill(environment) {
  const port = await freePort();
  const data = temporaryDirectory();
  const running = await start(
    'dist/apps/standalone/src/main.js',
    {
      PORT: String(port),
      DATA_DIR: data.path,
      BOOTSTRAP_API_KEY: KEY,
      RATE_LIMIT: '0',
      LOG_LEVEL: 'warn',
      ...environment,
    },
    'Send your first message',
    ANY_CORE,
  );
  const url = `http://127.0.0.1:${port}`;
  const call = caller(url, KEY);
  await launch(call);
  return {
    url,
    call,
    pid: running.pid,
    stop: async () => {
      await running.stop();
      data.remove();
    },
  };
}

/** Launches the campaign that the benches send. */
export async function launch(call) {
  const status = await call('PUT', '/v2/campaigns/bench', {
    from: 'bench@shop.example',
    subject: 'Hello {{ first_name }}',
    text: 'Hello {{ first_name }}, thank you.',
    html: `<p>Hello {{ first_name }}</p>${'<p>Your order of the day is on its way to you.</p>'.repeat(60)}`,
  });
  if (status !== 201) throw new Error(`the campaign was not launched: ${status}`);
}
