import { readFileSync, unlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded before the product (`node --import`): makes one of its steps fail, once, if the file STEP_FAULT_FILE says which.
 * It contains `<what> <step>`. `hold claim:after` hangs the call forever when its names are written and nothing else is, the
 * state that a process dying there leaves behind. `refuse append:before` rejects like a log that took nothing,
 * `doubt append:after` like one that cannot tell. The file is removed when a call reaches the step.
 */
const FILE = process.env.STEP_FAULT_FILE;
const require = createRequire(new URL('../../dist/', import.meta.url));

function readFault() {
  try {
    return readFileSync(FILE, 'utf8').split(' ');
  } catch {
    return [];
  }
}

function reach(step) {
  const [what, when] = readFault();
  if (when !== step) return undefined;
  unlinkSync(FILE);
  if (what === 'hold') return new Promise(() => {});
  const { LogUnavailable } = require('./libs/log/src/log.port.js');
  throw new LogUnavailable(`told to ${what}`, { unwritten: what === 'refuse' });
}

function watch({ prototype }, name, concerns = () => true) {
  const original = prototype[name];
  prototype[name] = async function (...args) {
    if (!concerns(...args)) return original.apply(this, args);
    await reach(`${name}:before`);
    const result = await original.apply(this, args);
    await reach(`${name}:after`);
    return result;
  };
}

if (FILE && isMainThread) {
  const cluster = Boolean(process.env.KAFKA_BROKERS);
  const ofLog = cluster ? './libs/log/src/kafka/kafka.log.js' : './libs/log/src/embedded/embedded.log.js';
  const ofBlobs = cluster ? './libs/blobs/src/gridfs/gridfs.blobs.js' : './libs/blobs/src/files/files.blobs.js';
  const store = cluster ? 'mongoose' : 'libsql';
  const claims = Object.values(require(`./apps/gateway/src/send/claims.store.${store}.js`))[0];
  for (const name of ['claim', 'takeOver', 'confirm', 'release', 'abandon']) watch(claims, name);
  watch(Object.values(require(ofBlobs))[0], 'put');
  const messages = (records) => records.some(({ topic }) => topic.startsWith('message-requested'));
  watch(Object.values(require(ofLog))[0], 'append', messages);
}
