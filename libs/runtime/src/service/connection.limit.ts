import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Logger } from '../logging/logger';

/** Each connection takes some 10 KiB, whatever it requests. */
const MAX_CONNECTIONS = 10_000;
/** Interval between searches for idle connections: a search takes time, and in a flood every connection would cause one. */
const SWEEP_INTERVAL_MS = 1_000;
/** Time to read the first request of a new connection: until then, newer versions of Node consider it idle (nodejs/node#63470). */
const FIRST_READ_MS = 20;

/** Limit of connections: half of the files that the process may open (as Linux reports it). Mails and logs need the others. */
export function maxConnections(limits: string | undefined): number {
  const [, files] = /^Max open files +(\d+) /m.exec(limits ?? '') ?? [];
  return files === undefined ? MAX_CONNECTIONS : Math.min(MAX_CONNECTIONS, Math.floor(Number(files) / 2));
}

export function readProcessLimits(): string | undefined {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return undefined;
  }
}

/** Limits connections. At the limit, idle ones are closed, so that the next caller finds room; if none is idle, new ones are refused. */
export function limitConnections(
  server: Server,
  max: number,
  logger: Pick<Logger, 'warn'>,
  intervalMs: number = SWEEP_INTERVAL_MS,
): void {
  server.maxConnections = max;
  let open = 0;
  let next: NodeJS.Timeout | undefined;
  const makeRoom = () => {
    next = undefined;
    if (open < max) return;
    logger.warn({ connections: max }, 'too many connections: idle ones are closed');
    server.closeIdleConnections();
    next = setTimeout(makeRoom, intervalMs).unref();
  };
  server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
    if (open >= max) next ??= setTimeout(makeRoom, FIRST_READ_MS).unref();
  });
}
