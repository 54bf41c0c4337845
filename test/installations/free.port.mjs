import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give away by themselves (from 32,768 on Linux, 49,152 elsewhere): until its server listens,
 * and while it is away, no connection and no other server is given one of these. Above 10,080, the last one below them
 * that fetch refuses to call (https://fetch.spec.whatwg.org/#port-blocking).
 */
const FIRST = 10_100;
const COUNT = 9_900;

/** Those who look at the same time begin elsewhere, and none is told twice. */
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
