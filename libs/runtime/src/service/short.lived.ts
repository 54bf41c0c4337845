import { setFlagsFromString } from 'node:v8';

export const NO_PRETENURING = '--no-allocation-site-pretenuring';

/**
 * For a process that messages flow through; to be called before it works. V8 notes which object literals outlive its young generation, and has the
 * next ones made in the old generation at once. Under load all that is in hand outlives it, and is garbage a moment later all the same: then
 * a major collection is due every second or two, and mail of high priority waits for it.
 */
export function keepGarbageYoung(): void {
  setFlagsFromString(NO_PRETENURING);
}
