import { stat } from 'node:fs/promises';

const POLL_INTERVAL_MS = 2_000;

/**
 * Calls `onGone` once when the directory no longer exists: files that are open can still be written then, but are lost
 * when the process ends. Returns a function that stops the watch.
 */
export function watchDirectory(directory: string, onGone: () => void): () => void {
  const timer = setInterval(() => {
    stat(directory).catch(({ code }: NodeJS.ErrnoException) => {
      if (code !== 'ENOENT' || stopped) return;
      stop();
      onGone();
    });
  }, POLL_INTERVAL_MS).unref();
  let stopped = false;
  const stop = () => {
    stopped = true;
    clearInterval(timer);
  };
  return stop;
}
