import type { Logger } from '@nestjs/common';

const FIRST_MS = 100;
const LONGEST_MS = 5_000;

/** Resolves after `ms`, or at once when the signal is given. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
    if (signal?.aborted) done();
  });
}

/** Waits for the work, but not longer than `ms`; how it ends is its own affair. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const enough = new AbortController();
  const done = work.then(
    () => undefined,
    () => undefined,
  );
  await Promise.race([done, pause(ms, enough.signal)]);
  enough.abort();
}

export function isAway(error: unknown): boolean {
  return (error as { retryable?: unknown } | null)?.retryable === true;
}

/** Of a store that is away the operator hears as of something that passes; of anything else as of a defect. */
export function complain(logger: Logger, error: unknown): void {
  if (isAway(error)) logger.warn(`the store is away: ${(error as Error).message}`);
  else logger.error(error);
}

/** Runs it again for as long as the store or the log is away; gives up when the signal is given. */
export async function whileAway<T>(action: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let wait = FIRST_MS; ; wait = Math.min(wait * 2, LONGEST_MS)) {
    try {
      return await action();
    } catch (error) {
      if (!isAway(error) || signal.aborted) throw error;
    }
    await pause(wait, signal);
  }
}
