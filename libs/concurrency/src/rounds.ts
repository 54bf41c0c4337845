import { Batcher } from './batcher';

/**
 * Asks one question for many callers at once: whoever asks while a round is in progress shares the next one. An answer
 * is never older than its question, and however many ask, only one round runs at a time.
 */
export function inRounds<T>(ask: () => Promise<T>): () => Promise<T> {
  const rounds = new Batcher<void, T>(async (askers) => {
    const answer = await ask();
    return askers.map(() => answer);
  });
  return () => rounds.add();
}
