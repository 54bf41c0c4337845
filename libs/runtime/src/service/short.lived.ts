import { setFlagsFromString } from 'node:v8';

export const NO_PRETENURING = '--no-allocation-site-pretenuring';

/**
 * For a process that messages flow through; call it before work begins. V8 notes which object literals survive the young generation, and
 * allocates later ones directly in the old generation (pretenuring). Under load, everything in progress survives, but is garbage a moment
 * later: a major collection would be due every second or two, and mail of high priority would wait for it.
 */
export function keepGarbageYoung(): void {
  setFlagsFromString(NO_PRETENURING);
}
