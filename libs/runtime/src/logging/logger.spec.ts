import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import pino from 'pino';
import { NestLogger } from './logger';

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

describe('NestLogger', () => {
  it('tells lines of services that share a process apart', () => {
    const lines: Record<string, unknown>[] = [];
    const write = (line: Buffer, _encoding: string, done: () => void) => {
      lines.push(JSON.parse(line.toString()) as Record<string, unknown>);
      done();
    };
    const logger = new NestLogger(pino({ base: undefined }, new Writable({ write })), 'gateway');
    logger.warn('nothing leaves', 'dispatch');
    logger.error(new Error('broken'), 'contacts');
    logger.error('broken', 'stack', 'RoutesResolver');
    logger.fatal('the end');
    expect(lines.map(({ service, msg }) => [service, msg])).toEqual([
      ['dispatch', 'nothing leaves'],
      ['contacts', 'broken'],
      ['gateway', 'broken'],
      ['gateway', 'the end'],
    ]);
  });
});
