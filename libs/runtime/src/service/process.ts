import { Logger as NestLines } from '@nestjs/common';
import { ConfigFault, readConfig, type Config, type Role } from '../config/config';
import { publicUrlWarning } from '../config/public.url';
import { createLogger, NestLogger, type Logger } from '../logging/logger';
import { lastFields } from './plain.faults';
import { answerTo } from './program.arguments';
import { keepGarbageYoung } from './short.lived';

/** What sysexits.h calls EX_CONFIG. */
const EXIT_CONFIG = 78;
/** Exit code 0 within 10 s of SIGTERM (and DRAIN_SECONDS), whatever hangs: all that was acknowledged is durable. */
const LAST_MOMENT_MS = 9_000;

export type Die = (error: Error) => void;

/** Something that runs until it is told to stop. */
export interface Running {
  start(): Promise<void>;
  stop(): Promise<void>;
}

function settings(service: Role): Config {
  try {
    return readConfig(process.env, service);
  } catch (error) {
    if (error instanceof ConfigFault) refuse(error);
    throw error;
  }
}

/** No stack: it is nothing that anybody has to look for in the code. */
function refuse(fault: ConfigFault): never {
  process.stderr.write(`${fault.message}\n`);
  process.exit(EXIT_CONFIG);
}

function begin(service: Role, takes: string[] = []): { config: Config; logger: Logger; die: Die } {
  const answer = answerTo(process.argv.slice(2), service, takes);
  if (answer) {
    process[answer.exitCode === 0 ? 'stdout' : 'stderr'].write(`${answer.text}\n`);
    process.exit(answer.exitCode);
  }
  const config = settings(service);
  const logger = createLogger(config.logLevel, service);
  // What is no web application has lines of Nest's, too: stores that are brought up to date.
  NestLines.overrideLogger(new NestLogger(logger, service === 'standalone' ? undefined : service));
  for (const { variable, meant } of config.misspelt)
    logger.warn({ variable }, `${variable} is set, but nothing reads it: did you mean ${meant}?`);
  const inClear = publicUrlWarning(config, service);
  if (inClear !== undefined) logger.warn({ variable: 'PUBLIC_URL' }, inClear);
  const die: Die = (error) => {
    // Some of it only those can judge who use it.
    if (error instanceof ConfigFault) refuse(error);
    logger.fatal(lastFields(error), error.message);
    logger.flush();
    process.exit(1);
  };
  // That nobody reads what it says is no reason to end.
  process.stdout.on('error', () => undefined);
  process.on('uncaughtException', die);
  process.on('unhandledRejection', (reason) => die(reason instanceof Error ? reason : new Error(String(reason))));
  return { config, logger, die };
}

/**
 * Runs something that ends by itself: code 0 when it is done, 1 when it failed, 143 when it was told to end before. `takes`
 * are the words that its first argument may be.
 */
export function runTask(
  service: Role,
  task: (config: Config, logger: Logger) => Promise<void>,
  takes: string[] = [],
): void {
  const { config, logger, die } = begin(service, takes);
  // The first process of a container has no default for signals.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(143));
  task(config, logger).then(() => process.exit(0), die);
}

/**
 * Runs one process: configuration, logs, signals. SIGTERM and SIGINT end it in order with code 0; a fault that nobody
 * handles, or that makes going on unsafe, ends it at once with code 1.
 */
export function runProcess(service: Role, make: (config: Config, logger: Logger, die: Die) => Running): void {
  keepGarbageYoung();
  const { config, logger, die } = begin(service);
  const running = make(config, logger, die);
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'finishing work in progress');
    setTimeout(() => process.exit(0), LAST_MOMENT_MS + config.drainSeconds * 1000).unref();
    void running.stop().then(() => process.exit(0), die);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  running.start().catch((error: Error) => (stopping ? undefined : die(error)));
}
