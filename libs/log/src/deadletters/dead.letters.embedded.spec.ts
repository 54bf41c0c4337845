import 'reflect-metadata';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedLog } from '../embedded/embedded.log';
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
