import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const START = join(__dirname, '../../dist/scripts/image/start.js');

describe('a program that is started by the image', () => {
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'image-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  it.each(['SIGTERM', 'SIGINT'])('takes notice of a %s that arrives while it loads', (signal) => {
    // The first process of a container would not even be ended by it.
    const loading = join(directory, 'loading.cjs');
    writeFileSync(
      loading,
      `const Module = require('node:module');
       const load = Module._load;
       Module._load = (name, ...more) => {
         if (name.includes('mailbox.service')) process.kill(process.pid, '${signal}');
         return load(name, ...more);
       };`,
    );
    const env = { PATH: process.env.PATH, DATA_DIR: directory, PORT: '0', MAILBOX_SMTP_PORT: '0' };
    const ended = spawnSync(process.execPath, ['--require', loading, START, 'mailbox'], { env, encoding: 'utf8' });
    expect(ended).toMatchObject({ status: 0, signal: null, stdout: expect.stringContaining(`"signal":"${signal}"`) });
  });
});
