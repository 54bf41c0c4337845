import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ephemeral ports (from 32,768 on Linux, 49,152 elsewhere), so that no connection and no other server gets such a
 * port before its server listens, or while that is down. Above 10,080, the last port below the ephemeral ones that fetch
 * refuses to call (https://fetch.spec.whatwg.org/#port-blocking).
 */
const FIRST = 10_100;
const COUNT = 9_900;

/** Random, so that processes that search at the same time begin at different ports. No port is returned twice. */
let next = Math.floor(Math.random() * COUNT);

export async function isFree(port) {
  const server = createServer().listen(port, '127.0.0.1');
  const free = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (free) await new Promise((resolve) => server.close(resolve));
  return free;
}

export async function freePort() {
  for (let looked = 0; looked < COUNT; looked += 1) {
    const port = FIRST + (next++ % COUNT);
    if (await isFree(port)) return port;
  }
  throw new Error(`no port is free from ${FIRST} to ${FIRST + COUNT - 1}`);
}
