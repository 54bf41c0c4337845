import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';

/** Every write to it fails as on a full volume. Only Linux has it. */
const FULL = '/dev/full';
const COMMAND = join(__dirname, '../../dist/apps/cli/src/main.js');
const HELP = [COMMAND, '--help'];

describe('what a command has to say', () => {
  (existsSync(FULL) ? it : it.skip)(
    'fails it where there is no room for that: a file cut short would pass for whole',
    () => {
      const full = openSync(FULL, 'w');
      const { status, stderr } = spawnSync(process.execPath, HELP, { stdio: ['ignore', full, 'pipe'] });
      closeSync(full);
      expect([status, stderr.toString()]).toEqual([1, expect.stringContaining('ENOSPC')]);
    },
  );

  it('fails it not where the reader has seen enough and is gone', async () => {
    const child = spawn(process.execPath, HELP, { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    let told = '';
    child.stderr.on('data', (text: Buffer) => (told += text.toString()));
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(told).toBe('');
  });

  it('goes on where nobody reads any more what it says beside', async () => {
    const child = spawn(process.execPath, [COMMAND, 'messages', 'retry'], { stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.destroy();
    expect(await once(child, 'close')).toEqual([2, null]);
  });
});
