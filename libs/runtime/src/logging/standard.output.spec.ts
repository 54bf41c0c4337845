import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';

const RUNTIME = join(__dirname, '../../../../dist/libs/runtime/src/index.js');
const TIMEOUT_MS = 60_000;

const programOf = (body: string) =>
  `const logger = require(${JSON.stringify(RUNTIME)}).createLogger('info'); logger.info('first'); ${body}`;

/** How the process ends: its exit code, or the signal if it had to be killed. */
async function exitOf(body: string, output: 'pipe' | number): Promise<unknown> {
  const child = spawn(process.execPath, ['-e', programOf(body)], { stdio: ['ignore', output, 'ignore'] });
  // Nobody reads, so its writes fail.
  child.stdout?.destroy();
  const killTimer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS - 10_000);
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  clearTimeout(killTimer);
  return code ?? signal;
}

const FATAL_LATER = `setTimeout(() => { logger.fatal('the end'); process.exit(7); }, 300);`;
const FATAL_AT_START = `logger.fatal('the end'); process.exit(7);`;
const NO_FATAL = `setTimeout(() => logger.info('second'), 300); setTimeout(() => process.exit(7), 1_000);`;

describe('a process whose log lines cannot be written', () => {
  it.each([
    ['ends by a fatal line', FATAL_LATER],
    ['ends at once', FATAL_AT_START],
    ['goes on, and ends when it wants to', NO_FATAL],
  ])(
    'because nobody reads them %s',
    async (_how, body) => {
      expect(await exitOf(body, 'pipe')).toBe(7);
    },
    TIMEOUT_MS,
  );

  // Writing to it fails with ENOSPC, as writing to a file on a full volume does.
  const full = existsSync('/dev/full') ? it : it.skip;
  full.each([
    ['ends by a fatal line', FATAL_LATER],
    ['ends at once', FATAL_AT_START],
    ['goes on, and ends when it wants to', NO_FATAL],
  ])(
    'because the disk is full %s',
    async (_how, body) => {
      const output = openSync('/dev/full', 'w');
      expect(await exitOf(body, output)).toBe(7);
      closeSync(output);
    },
    TIMEOUT_MS,
  );
});
