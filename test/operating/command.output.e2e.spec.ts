import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';

/** Every write to it fails as on a full volume. Only Linux has it. */
const FULL_DEVICE = '/dev/full';
const COMMAND = join(__dirname, '../../dist/apps/cli/src/main.js');
const HELP_COMMAND = [COMMAND, '--help'];

describe('the output of a command', () => {
  (existsSync(FULL_DEVICE) ? it : it.skip)(
    'fails it where there is no room for that: a file cut short would pass for whole',
    () => {
      const full = openSync(FULL_DEVICE, 'w');
      const { status, stderr } = spawnSync(process.execPath, HELP_COMMAND, { stdio: ['ignore', full, 'pipe'] });
      closeSync(full);
      expect([status, stderr.toString()]).toEqual([1, expect.stringContaining('ENOSPC')]);
    },
  );

  it('does not fail it if the reader has gone', async () => {
    const child = spawn(process.execPath, HELP_COMMAND, { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    let told = '';
    child.stderr.on('data', (text: Buffer) => (told += text.toString()));
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(told).toBe('');
  });

  it('does not change its exit code if the reader of stderr has gone', async () => {
    const child = spawn(process.execPath, [COMMAND, 'messages', 'retry'], { stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.destroy();
    expect(await once(child, 'close')).toEqual([2, null]);
  });
});
