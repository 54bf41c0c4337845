import 'reflect-metadata';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedLog } from '../embedded/embedded.log';
import { describeDeadLetters } from './dead.letters.contract';

describeDeadLetters('embedded', async () => {
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
