import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const RUNTIME = join(__dirname, '../../../../dist/libs/runtime/src/index.js');

/** What a process writes that logs two lines and then ends like this. */
const written = (ending: string): unknown[] => {
  const told = `logger.info({ at: 1 }, 'first'); logger.fatal({ at: 2 }, 'last');`;
  const program = `const logger = require(${JSON.stringify(RUNTIME)}).createLogger('info'); ${told} ${ending}`;
  const { stdout } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
  return stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { at: unknown }).at);
};

describe('createLogger', () => {
  it.each([
    ['by itself', ''],
    ['by exit', 'process.exit(1);'],
    ['by a fault that nobody handles', `throw new Error('broken');`],
    ['by exit, while lines are being written', 'logger.flush(); process.exit(1);'],
  ])('has every line out when the process ends %s', (_how, ending) => {
    expect(written(ending)).toEqual([1, 2]);
  });

  it('has a line out soon while the process goes on', () => {
    // It ends itself by a signal that runs nothing.
    expect(written(`setTimeout(() => process.kill(process.pid, 'SIGKILL'), 2_000);`)).toEqual([1, 2]);
  });
});
