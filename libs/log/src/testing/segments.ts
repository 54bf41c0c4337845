import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { EmbeddedLog } from '../embedded/embedded.log';
import type { LogWorkspace } from './disk';
import { textRecord } from './inbox';

export const TOPIC = 'topic';
export const text = (value: string, key = 'k') => textRecord(TOPIC, key, value);

/** Appends the numbers from `from` below `to`, one by one. */
export async function fill(log: EmbeddedLog, from: number, to: number): Promise<string[]> {
  const values = Array.from({ length: to - from }, (_, i) => String(from + i));
  for (const value of values) await log.append([text(value, `key ${value}`)]);
  return values;
}

export const countSegments = async (workshop: LogWorkspace) =>
  (await readdir(dirname(workshop.topicFile(TOPIC)))).length;
