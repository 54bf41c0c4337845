import { Batcher } from './batcher';

/**
 * The same question, asked for many at once: whoever asks while it is under way shares the next round. An answer is never older than its
 * question, and however many ask, one round at a time is paid for.
 */
export function inRounds<T>(ask: () => Promise<T>): () => Promise<T> {
  const rounds = new Batcher<void, T>(async (askers) => {
    const answer = await ask();
    return askers.map(() => answer);
  });
  return () => rounds.add();
}
