import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';

const POLL_INTERVAL_MS = 2_000;

/**
 * Calls `onGone` once, with what has happened, when the directory no longer exists or another one has its place: files
 * that are open can still be written then, but are lost when the process ends. Returns a function that stops the watch.
 */
export function watchDirectory(directory: string, onGone: (what: string) => void): () => void {
  const { dev, ino } = statSync(directory);
  const timer = setInterval(() => {
    stat(directory).then(
      (found) => {
        if (found.dev !== dev || found.ino !== ino) end('is another directory now');
      },
      ({ code }: NodeJS.ErrnoException) => {
        if (code === 'ENOENT') end('no longer exists');
      },
    );
  }, POLL_INTERVAL_MS).unref();
  let stopped = false;
  const stop = () => {
    stopped = true;
    clearInterval(timer);
  };
  const end = (what: string) => {
    if (stopped) return;
    stop();
    onGone(what);
  };
  return stop;
}
