import { setMaxListeners } from 'node:events';

const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;

/** Resolves after `ms`, or as soon as the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    if (!signal) return;
    // While a store is unavailable, many wait for the same signal: Node takes more than ten listeners for a leak.
    setMaxListeners(Infinity, signal);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}

/** Waits for the work, but not longer than `ms`, whether it resolves or rejects. */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  const enough = new AbortController();
  const done = work.then(
    () => undefined,
    () => undefined,
  );
  await Promise.race([done, pause(ms, enough.signal)]);
  enough.abort();
}

/** Settles as the work does; rejects with `timeoutError()` if the work takes longer than `ms`. */
export function withTimeout<T>(
  ms: number,
  work: Promise<T>,
  timeoutError = () => new Error(`no answer within ${ms} ms`),
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(timeoutError()), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Whether an error says that something needed is unavailable, so that the same may be tried again later. */
export function isRetryable(error: unknown): boolean {
  return (error as { retryable?: unknown } | null | undefined)?.retryable === true;
}

/** Retries the action for as long as the store or the log is unavailable; gives up when the signal is aborted. */
export async function retryWhileUnavailable<T>(action: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let backoffMs = MIN_BACKOFF_MS; ; backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS)) {
    try {
      return await action();
    } catch (error) {
      if (!isRetryable(error) || signal.aborted) throw error;
    }
    await pause(backoffMs, signal);
  }
}
