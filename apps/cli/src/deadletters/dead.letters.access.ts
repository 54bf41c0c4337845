import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { readControlFile, type Config } from '@lettermill/config';
import { COMPACTED_TOPICS } from '@lettermill/events';
import {
  DeadLetters,
  EmbeddedLog,
  KafkaLog,
  LOCK_FILE,
  LogFault,
  SILENT_LOGGER,
  lockDirectory,
  type EventLog,
} from '@lettermill/log';
import { CommandFault } from '../command.fault';
import { configOf } from '../environment';
import { RemoteDeadLetters, type DeadLetterOperations } from './dead.letters.remote';
import { explainFault, mustBeWritable, mustHaveLog, mustHaveTopics } from './directory.faults';

const OPEN_TIMEOUT_MS = 10_000;

/** Opens the dead letters that the environment names, passes them to `work`, and closes everything afterwards. */
export async function withDeadLetters<T>(
  env: NodeJS.ProcessEnv,
  work: (deadLetters: DeadLetterOperations) => Promise<T>,
): Promise<T> {
  const config = configOf(env);
  if (config.kafkaBrokers) return useAndClose(await openKafkaLog(config), work);
  const { dataDir } = config;
  mustHaveLog(dataDir);
  // Where there is no lock yet, taking it would make one that belongs to root.
  if (!existsSync(join(dataDir, LOCK_FILE))) refuseRootIfNotOwner(dataDir);
  mustBeWritable(dataDir);
  let lock;
  try {
    lock = lockDirectory(dataDir);
  } catch (error) {
    if (error instanceof LogFault && error.code === 'directory_locked') return work(await connectToRunning(dataDir));
    throw explainFault(error, dataDir);
  }
  try {
    refuseRootIfNotOwner(dataDir);
    mustHaveTopics(dataDir);
    return await useStoppedLog(dataDir, work);
  } catch (error) {
    throw explainFault(error, dataDir);
  } finally {
    lock.release();
  }
}

async function useAndClose<T>(log: EventLog, work: (deadLetters: DeadLetterOperations) => Promise<T>): Promise<T> {
  try {
    return await work(new DeadLetters(log));
  } finally {
    await log.close();
  }
}

async function openKafkaLog({ kafkaBrokers, kafka: settings, retentionDays }: Config): Promise<EventLog> {
  try {
    return await KafkaLog.open({
      ...settings,
      brokers: kafkaBrokers!,
      clientId: 'lettermill-cli',
      instance: randomUUID(),
      retention: { days: retentionDays, keepWhole: COMPACTED_TOPICS },
      topicsAsTheyAre: true,
      openTimeoutMs: OPEN_TIMEOUT_MS,
      logger: SILENT_LOGGER,
    });
  } catch (error) {
    throw new CommandFault(
      `The brokers at ${kafkaBrokers!.join(', ')} can't be reached: ${(error as Error).message}.`,
      1,
    );
  }
}

/** Files that root creates here, even when only reading, could not be opened by a service that runs as the owner. */
function refuseRootIfNotOwner(dataDir: string): void {
  const { uid } = statSync(join(dataDir, 'log'));
  if (process.getuid?.() !== 0 || uid === 0) return;
  throw new CommandFault(`${dataDir} belongs to user ${uid}: run this as that user, not as root.`, 1);
}

/** Opens the log of a stopped service: we hold the lock of the directory until we are done. Retention deletes nothing. */
async function useStoppedLog<T>(dataDir: string, work: (deadLetters: DeadLetterOperations) => Promise<T>): Promise<T> {
  let fatal: Error | undefined;
  const onFatal = (error: Error) => void (fatal ??= error);
  const retention = { days: 0, keepWhole: [] };
  const log = await EmbeddedLog.open({ directory: join(dataDir, 'log'), retention, onFatal, logger: SILENT_LOGGER });
  try {
    return await useAndClose(log, work);
  } catch (error) {
    // Why the log ended says more than what then no longer worked.
    throw fatal ?? error;
  }
}

async function connectToRunning(dataDir: string): Promise<DeadLetterOperations> {
  const address = await readControlFile(dataDir);
  if (!address) throw new CommandFault(`${dataDir} is in use by a process that accepts no commands yet; try again.`, 1);
  return new RemoteDeadLetters(address);
}
