import { execFile } from 'node:child_process';
import { join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { lettermillCommand } from './command.line';

const DIST = join(__dirname, '../../dist');

/** The files of the build that a command has loaded when it is done. */
async function filesLoadedBy(...args: string[]): Promise<string[]> {
  const script = `require(${JSON.stringify(join(DIST, 'apps/cli/src/command.line.js'))})
    .runCommand(${JSON.stringify(args)}, process).then(() => console.error(JSON.stringify(Object.keys(require.cache))))`;
  const { stderr } = await promisify(execFile)(process.execPath, ['-e', script]);
  const files = JSON.parse(stderr) as string[];
  return files.filter((file) => file.startsWith(DIST)).map((file) => relative(DIST, file).replaceAll(sep, '/'));
}

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

  it('loads libraries only for the commands that need them', async () => {
    const loaded = await filesLoadedBy('--help');
    expect(loaded).toContain('apps/cli/src/command.line.js');
    expect(loaded.filter((file) => !/^(apps\/cli|libs\/version)\//.test(file))).toEqual([]);
  });
});
