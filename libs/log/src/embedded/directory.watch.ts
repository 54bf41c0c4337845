import { stat } from 'node:fs/promises';

const LOOK_MS = 2_000;

/**
 * Tells once when a directory is not there any more: files that are open can still be written then, and are gone with the process. Answers
 * how to stop it.
 */
export function watchDirectory(directory: string, onGone: () => void): () => void {
  const looking = setInterval(() => {
    stat(directory).catch(({ code }: NodeJS.ErrnoException) => {
      if (code !== 'ENOENT' || stopped) return;
      stop();
      onGone();
    });
  }, LOOK_MS).unref();
  let stopped = false;
  const stop = () => {
    stopped = true;
    clearInterval(looking);
  };
  return stop;
}
