import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Logger } from '../logging/logger';

/** Each connection takes some 10 KiB, whatever it requests. */
const MOST = 10_000;
/** Interval between searches for idle connections: a search takes time, and in a flood every connection would cause one. */
const LOOK_MS = 1_000;
/** Time to read the first request of a new connection: until then, newer versions of Node consider it idle (nodejs/node#63470). */
const READ_MS = 20;

/** Limit of connections: half of the files that the process may open (as Linux reports it). Mails and logs need the others. */
export function mostConnections(limits: string | undefined): number {
  const [, files] = /^Max open files +(\d+) /m.exec(limits ?? '') ?? [];
  return files === undefined ? MOST : Math.min(MOST, Math.floor(Number(files) / 2));
}

export function limitsOfProcess(): string | undefined {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return undefined;
  }
}

/** Limits connections. At the limit, idle ones are closed, so that the next caller finds room; if none is idle, new ones are refused. */
export function boundConnections(
  server: Server,
  most: number,
  logger: Pick<Logger, 'warn'>,
  lookMs: number = LOOK_MS,
): void {
  server.maxConnections = most;
  let open = 0;
  let next: NodeJS.Timeout | undefined;
  const makeRoom = () => {
    next = undefined;
    if (open < most) return;
    logger.warn({ connections: most }, 'too many connections: idle ones are closed');
    server.closeIdleConnections();
    next = setTimeout(makeRoom, lookMs).unref();
  };
  server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
    if (open >= most) next ??= setTimeout(makeRoom, READ_MS).unref();
  });
}
