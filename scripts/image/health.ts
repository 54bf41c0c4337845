// The image's health check: asks the service in this container whether it is ready. Exit code 0 or 1.
import { readFileSync } from 'node:fs';
import { PORTS } from './programs';

const TIMEOUT_MS = 2_500;

/** The arguments of the container's first process name the service, even if that process is an init that runs the command. */
function port(): number {
  if (process.env.PORT?.trim()) return Number(process.env.PORT);
  const words = readFileSync('/proc/1/cmdline', 'utf8').split('\0');
  return words.map((word) => (Object.hasOwn(PORTS, word) ? PORTS[word] : undefined)).find(Boolean) ?? 3000;
}

/** A service that waits for Kafka or MongoDB at its start does not listen yet; nor does one that cannot start. */
function textOf({ message, cause }: Error): string {
  const isRefused = (cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED';
  return isRefused
    ? `nothing listens on port ${port()} yet: the log of this container says what it waits for`
    : message;
}

fetch(`http://127.0.0.1:${port()}/health/ready`, { signal: AbortSignal.timeout(TIMEOUT_MS) }).then(
  async (answer) => {
    if (!answer.ok) process.stderr.write(`${await answer.text()}\n`);
    process.exit(answer.ok ? 0 : 1);
  },
  (error: Error) => {
    process.stderr.write(`${textOf(error)}\n`);
    process.exit(1);
  },
);
