import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Logger } from '../logging/logger';

/** Each takes some 10 KiB, whatever it asks. */
const MOST = 10_000;
/** Looking for idle ones is not for free, and a flood asks for it all the time. */
const LOOK_MS = 1_000;
/** Who has just come is still to be read: newer Nodes take it for idle until then (nodejs/node#63470). */
const READ_MS = 20;

/** As many connections as one process takes: half of the files that it may have open, as Linux tells it; mails and logs need the others. */
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

/** Where there are as many, those that ask nothing are closed: the next caller finds room, whoever holds them. The latest is refused where there is none. */
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
