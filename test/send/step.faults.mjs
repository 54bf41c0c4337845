import { readFileSync, unlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded before the product (`node --import`): lets one step of it go wrong, once, when STEP_FAULT_FILE says which.
 * The file holds `<what> <step>`: with `hold claim:after` the call stays for ever where its names are written and nothing
 * else is (as it would be found by a death there), `refuse append:before` rejects as a log does that took nothing,
 * `doubt append:after` as one that can not tell. The file is gone when a call has come so far.
 */
const FILE = process.env.STEP_FAULT_FILE;
const require = createRequire(new URL('../../dist/', import.meta.url));

function told() {
  try {
    return readFileSync(FILE, 'utf8').split(' ');
  } catch {
    return [];
  }
}

function reach(step) {
  const [what, when] = told();
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
