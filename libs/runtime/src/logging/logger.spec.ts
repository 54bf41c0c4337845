import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import pino from 'pino';
import { loggerOf, NestLogger } from './logger';

const RUNTIME = join(__dirname, '../../../../dist/libs/runtime/src/index.js');

/** The lines that a process writes which logs two lines and then runs `ending`. */
const positionsWritten = (ending: string): unknown[] => {
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
    ['by an uncaught error', `throw new Error('broken');`],
    ['by exit, while lines are being written', 'logger.flush(); process.exit(1);'],
  ])('writes every line when the process ends %s', (_how, ending) => {
    expect(positionsWritten(ending)).toEqual([1, 2]);
  });

  it('writes a line soon while the process goes on', () => {
    // SIGKILL leaves the process no chance to write buffered lines.
    expect(positionsWritten(`setTimeout(() => process.kill(process.pid, 'SIGKILL'), 2_000);`)).toEqual([1, 2]);
  });
});

describe('NestLogger', () => {
  const linesOf = (service: string | undefined, say: (logger: NestLogger) => void) => {
    const lines: Record<string, unknown>[] = [];
    const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
    say(new NestLogger(pino({ base: undefined, level: 'debug' }, { write }), service));
    return lines.map(({ service: of, msg }) => [of, msg]);
  };

  it('names the service of each line when several share a process', () => {
    const told = linesOf('gateway', (logger) => {
      logger.warn('nothing leaves', 'dispatch');
      logger.error(new Error('broken'), 'contacts');
      logger.error('broken', 'stack', 'RoutesResolver');
      logger.fatal('the end');
    });
    expect(told).toEqual([
      ['dispatch', 'nothing leaves'],
      ['contacts', 'broken'],
      ['gateway', 'broken'],
      ['gateway', 'the end'],
    ]);
  });

  it('names no service for lines of Nest when several share a process', () => {
    const told = linesOf(undefined, (logger) => {
      logger.log('Mapped {/v2/send/email, POST} route', 'RouterExplorer');
      logger.warn('nothing leaves', 'dispatch');
    });
    expect(told).toEqual([
      [undefined, 'Mapped {/v2/send/email, POST} route'],
      ['dispatch', 'nothing leaves'],
    ]);
  });
});

describe('loggerOf', () => {
  it('names the service once, even if the logger of the process has its name', () => {
    const lines: string[] = [];
    const write = (line: string) => void lines.push(line);
    const process = pino({ base: { service: 'tracker' }, timestamp: false }, { write });
    loggerOf('tracker', process).info('ready');
    loggerOf('tracker', pino({ base: undefined, timestamp: false }, { write })).info('ready');
    const line = '{"level":30,"service":"tracker","msg":"ready"}\n';
    expect(lines).toEqual([line, line]);
  });
});
