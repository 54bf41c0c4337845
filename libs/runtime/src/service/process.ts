import { Logger as NestLines } from '@nestjs/common';
import { ConfigFault, publicUrlWarning, readConfig, type Config, type Role } from '@lettermill/config';
import { createLogger, NestLogger, type Logger } from '../logging/logger';
import { fatalFields } from './plain.faults';
import { answerToArguments } from './program.arguments';
import { keepGarbageYoung } from './short.lived';

/** EX_CONFIG of sysexits.h. */
const EXIT_CONFIG = 78;
/**
 * The process exits with code 0 within 10 s (plus DRAIN_SECONDS) of SIGTERM, whatever hangs: all that was acknowledged is durable. Only what
 * Node's threads have begun holds up even `process.exit`: a sync, or the look-up of a name that no name server answers.
 */
const SHUTDOWN_TIMEOUT_MS = 9_000;

export type OnFatal = (error: Error) => void;

/** Something that runs until it is told to stop. */
export interface Runnable {
  start(): Promise<void>;
  stop(): Promise<void>;
}

function configOrExit(service: Role): Config {
  try {
    return readConfig(process.env, service);
  } catch (error) {
    if (error instanceof ConfigFault) exitWithConfigFault(error);
    throw error;
  }
}

/** Ends the process without a stack trace, which would not help the operator. */
function exitWithConfigFault(fault: ConfigFault): never {
  process.stderr.write(`${fault.message}\n`);
  process.exit(EXIT_CONFIG);
}

function prepareProcess(
  service: Role,
  allowedArguments: string[] = [],
): { config: Config; logger: Logger; die: OnFatal } {
  const answer = answerToArguments(process.argv.slice(2), service, allowedArguments);
  if (answer) {
    process[answer.exitCode === 0 ? 'stdout' : 'stderr'].write(`${answer.text}\n`);
    process.exit(answer.exitCode);
  }
  const config = configOrExit(service);
  const logger = createLogger(config.logLevel, service);
  // Processes without a web application have lines of Nest's, too: of the migration of stores.
  NestLines.overrideLogger(new NestLogger(logger, service === 'standalone' ? undefined : service));
  for (const { variable, meant } of config.misspelt)
    logger.warn({ variable }, `${variable} is set, but nothing reads it: did you mean ${meant}?`);
  const inClear = publicUrlWarning(config, service);
  if (inClear !== undefined) logger.warn({ variable: 'PUBLIC_URL' }, inClear);
  const die: OnFatal = (error) => {
    // Some faults of the configuration are found only when it is used.
    if (error instanceof ConfigFault) exitWithConfigFault(error);
    logger.fatal(fatalFields(error), error.message);
    logger.flush();
    process.exit(1);
  };
  // The process goes on if nobody reads its output.
  process.stdout.on('error', () => undefined);
  process.on('uncaughtException', die);
  process.on('unhandledRejection', (reason) => die(reason instanceof Error ? reason : new Error(String(reason))));
  return { config, logger, die };
}

/**
 * Runs a task that ends by itself: exit code 0 when it is done, 1 when it failed, 143 when a signal ended it before. `allowedArguments`
 * are the allowed values of its first argument.
 */
export function runTask(
  service: Role,
  task: (config: Config, logger: Logger) => Promise<void>,
  allowedArguments: string[] = [],
): void {
  const { config, logger, die } = prepareProcess(service, allowedArguments);
  // The first process of a container has no default action for signals.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(143));
  task(config, logger).then(() => process.exit(0), die);
}

/**
 * Runs one process: configuration, logs, signals. SIGTERM and SIGINT shut it down in order with code 0. So does a start that fails, with the
 * code of its fault: a service that did start may be sending mails, which would be uncertain. An unhandled fault, or one after which it is
 * unsafe to go on, ends it at once with code 1.
 */
export function runProcess(service: Role, make: (config: Config, logger: Logger, die: OnFatal) => Runnable): void {
  keepGarbageYoung();
  const { config, logger, die } = prepareProcess(service);
  const running = make(config, logger, die);
  let stopping = false;
  const stopThen = (exit: (fault?: Error) => void) => {
    stopping = true;
    setTimeout(exit, SHUTDOWN_TIMEOUT_MS + config.drainSeconds * 1000).unref();
    void running.stop().then(() => exit(), exit);
  };
  const onSignal = (signal: string) => {
    if (stopping) return;
    logger.info({ signal }, 'finishing work in progress');
    stopThen((fault) => (fault ? die(fault) : process.exit(0)));
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  running.start().catch((error: Error) => (stopping ? undefined : stopThen(() => die(error))));
}
