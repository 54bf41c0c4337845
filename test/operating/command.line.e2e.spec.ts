import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { lettermillCommand } from './command.line';

describe('lettermill on the command line', () => {
  it.each([[['--help']], [['dead-letters', 'redrive', '--help']]])('prints its help: %j', async (args) => {
    const { code, out, err } = await lettermillCommand({}, ...args);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('Usage: lettermill');
  });

  it('prints its version', async () => {
    const { version } = jest.requireActual<{ version: string }>('../../package.json');
    expect(await lettermillCommand({}, '--version')).toEqual({ code: 0, out: `${version}\n`, err: '' });
  });

  // npm makes it executable only when it links it, which it does once: a build after that has to do so by itself.
  it('is executable after every build, as npm exec needs it', async () => {
    const { bin } = jest.requireActual<{ bin: { lettermill: string } }>('../../package.json');
    const { stdout } = await promisify(execFile)(join(__dirname, '../..', bin.lettermill), ['--help']);
    expect(stdout).toContain('Usage: lettermill');
  });

  it('refuses an unknown command', async () => {
    const { code, err } = await lettermillCommand({}, 'dead-leters');
    expect([code, err]).toEqual([2, expect.stringContaining('unknown command')]);
  });
});
