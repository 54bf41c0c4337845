import { Batcher } from './batcher';

/**
 * Asks one question for many callers at once: whoever asks while a round is in progress shares the next one. An answer
 * is never older than its question, and however many ask, only one round runs at a time.
 */
export function coalesceCalls<T>(ask: () => Promise<T>): () => Promise<T> {
  const batcher = new Batcher<void, T>(async (askers) => {
    const answer = await ask();
    return askers.map(() => answer);
  });
  return () => batcher.add();
}
