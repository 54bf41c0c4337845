import 'reflect-metadata';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedLog } from '../embedded/embedded.log';
import { TOPICS } from '@lettermill/events';
import { LogWorkspace } from '../testing/disk';
import { textRecord } from '../testing/inbox';
import { DeadLetters } from './dead.letters';
import { deadLettersContract } from './dead.letters.contract';

describe('dead letters on the embedded log', () => {
  deadLettersContract(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'lettermill-dead-'));
    const open = () => EmbeddedLog.open({ directory, retention: { days: 0, keepWhole: [] }, onFatal: () => {} });
    let log = await open();
    return {
      get log() {
        return log;
      },
      reopen: async () => {
        await log.close();
        return (log = await open());
      },
      close: async () => {
        await log.close();
        await rm(directory, { recursive: true, force: true });
      },
    };
  });
});

describe('damaged dead letters on the embedded log', () => {
  const workshop = new LogWorkspace();
  beforeEach(() => workshop.begin());
  afterEach(() => workshop.end());

  it('are told to who reads them, and leave the log usable for mail', async () => {
    const log = await workshop.open({ segmentBytes: 300, memoryBytes: 0, partitions: 1 });
    const record = textRecord(TOPICS.deadLetter, 'k', 'v');
    for (let i = 0; i < 4; i += 1) await log.append([record]);
    const file = workshop.topicFile(TOPICS.deadLetter);
    const bytes = await readFile(file);
    bytes[bytes.length - 1]! ^= 1;
    await writeFile(file, bytes);
    const damage = { code: 'log_damaged', file };
    const letters = new DeadLetters(log);
    await expect(letters.list({}, 10)).rejects.toMatchObject(damage);
    await expect(letters.decide('discarded', { filter: {} })).rejects.toMatchObject(damage);
    await expect(log.read(TOPICS.deadLetter, 0, 0, 10)).rejects.toMatchObject(damage);
    await log.append([record]);
    expect(workshop.fatal).toEqual([]);
  });
});
