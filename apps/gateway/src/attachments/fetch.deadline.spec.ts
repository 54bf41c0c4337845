import { getMaxListeners, once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { deadline } from './fetch.deadline';

const MINUTE_MS = 60_000;

describe('the deadline of a fetch', () => {
  /** Waits as a fetch does: it listens to the signal and keeps no other reference to it. */
  const aborted = (ending: AbortSignal, ms: number) => once(deadline(ending, ms), 'abort');

  it('aborts even after a garbage collection', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const waiting = aborted(new AbortController().signal, 200);
    for (let i = 0; i < 3; i += 1) {
      await new Promise(setImmediate);
      collect();
    }
    await waiting;
  });

  it('aborts with its parent signal, also one that has already aborted', async () => {
    const ending = new AbortController();
    const waiting = aborted(ending.signal, MINUTE_MS);
    ending.abort();
    await waiting;
    expect(deadline(ending.signal, MINUTE_MS).aborted).toBe(true);
  });

  it('may share its parent with any number of others without a warning of Node', () => {
    const ending = new AbortController();
    deadline(ending.signal, MINUTE_MS);
    expect(getMaxListeners(ending.signal)).toBe(Infinity);
    ending.abort();
  });
});
