import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { LogRecord } from '../../libs/log/src';
import type * as LogLibrary from '../../libs/log/src';
import { deleteClusterData } from '../installations/cluster.data';
import { ROOT } from '../installations/process';
import type { Stack } from '../installations/stack';

export interface AppendOptions {
  rounds: number;
  /** Concurrent appends. */
  callers: number;
  /** How often the broker is killed: spread over the rounds, each time in the middle of one. */
  kills: number;
}

export interface AppendReport {
  rounds: number;
  acknowledged: number;
  /** Appends that were refused, and repeated under the same name. */
  refused: number;
  kills: number;
  /** Acknowledged but not in the topic: the one number that must be 0. */
  lost: number;
  /** In the topic but never acknowledged. */
  unasked: number;
  /** In the topic more than once, because a request was retried. Consumers recognise them by the id of the event. */
  repeated: number;
  /** Keys whose records are not in the order in which they were acknowledged. */
  disordered: number;
  seconds: number;
}

/** The built library, because its source imports by alias. */
const LOG_LIBRARY_PATH = join(ROOT, 'dist', 'libs', 'log', 'src', 'index.js');
const TOPIC = 't';
const RETRY_DELAY_MS = 100;
const PAGE_SIZE = 1_000;
const CATCH_UP_TIMEOUT_MS = 120_000;

/** Runs rounds of concurrent appends and kills the broker meanwhile; then compares what was acknowledged with the topic. */
export async function appendRun(stack: Stack, { rounds, callers, kills }: AppendOptions): Promise<AppendReport> {
  const began = Date.now();
  const { KafkaLog } = createRequire(LOG_LIBRARY_PATH)(LOG_LIBRARY_PATH) as typeof LogLibrary;
  const settings = await stack.settings();
  const namespace = `appends-${randomUUID().slice(0, 8)}`;
  const log = await KafkaLog.open({
    brokers: settings.KAFKA_BROKERS.split(','),
    clientId: 'appends',
    instance: namespace,
    topicPrefix: `${namespace}-`,
    topics: [TOPIC],
    partitions: 4,
    retention: { days: 1, keepWhole: [] },
  });
  const acknowledged = new Set<string>();
  let [refused, killed] = [0, 0];
  const append = async (caller: number, round: number) => {
    const value = `${caller}/${round}`;
    for (;;) {
      try {
        await log.append([{ topic: TOPIC, key: `k${caller}`, value, headers: {} }]);
        acknowledged.add(value);
        return;
      } catch (error) {
        if (!(error as { retryable?: boolean }).retryable) throw error;
        refused += 1;
        await pause(RETRY_DELAY_MS);
      }
    }
  };
  try {
    const roundsBetweenKills = Math.max(1, Math.floor(rounds / (kills + 1)));
    for (let round = 0; round < rounds; round += 1) {
      const appends = Array.from({ length: callers }, (_, caller) => append(caller, round));
      if (killed < kills && round % roundsBetweenKills === roundsBetweenKills - 1) {
        killed += 1;
        await stack.kill('kafka');
        await stack.revive('kafka');
      }
      await Promise.all(appends);
    }
    const found = compareWithTopic(await readWholeTopic(log, rounds * callers), acknowledged);
    const seconds = Math.round((Date.now() - began) / 1000);
    return { rounds, acknowledged: acknowledged.size, refused, kills: killed, ...found, seconds };
  } finally {
    await log.close();
    await deleteClusterData(namespace, settings);
  }
}

/** All records, partition by partition, each in its order. */
async function readWholeTopic(log: LogLibrary.KafkaLog, minRecords: number): Promise<LogRecord[]> {
  const deadline = Date.now() + CATCH_UP_TIMEOUT_MS;
  for (;;) {
    const records: LogRecord[] = [];
    for (let partition = 0; partition < (await log.partitions(TOPIC)); partition += 1) {
      for (let position = 0; ;) {
        const page = await log.read(TOPIC, partition, position, PAGE_SIZE);
        if (page.length === 0) break;
        records.push(...page);
        position = page.at(-1)!.position + 1;
      }
    }
    if (records.length >= minRecords || Date.now() > deadline) return records;
    await pause(RETRY_DELAY_MS);
  }
}

function compareWithTopic(
  records: LogRecord[],
  acknowledged: Set<string>,
): Pick<AppendReport, 'lost' | 'unasked' | 'repeated' | 'disordered'> {
  const timesSeen = new Map<string, number>();
  const lastRounds = new Map<string, number>();
  const disordered = new Set<string>();
  for (const { key, value } of records) {
    const name = value.toString();
    const round = Number(name.split('/')[1]);
    const times = (timesSeen.get(name) ?? 0) + 1;
    timesSeen.set(name, times);
    // The first copy of each record must come after the first copies of those before it.
    if (times === 1 && round < (lastRounds.get(key) ?? 0)) disordered.add(key);
    if (times === 1) lastRounds.set(key, round);
  }
  return {
    lost: [...acknowledged].filter((name) => !timesSeen.has(name)).length,
    unasked: [...timesSeen.keys()].filter((name) => !acknowledged.has(name)).length,
    repeated: [...timesSeen.values()].filter((times) => times > 1).length,
    disordered: disordered.size,
  };
}
