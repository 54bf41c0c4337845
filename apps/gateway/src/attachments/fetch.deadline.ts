import { setMaxListeners } from 'node:events';

/**
 * A signal that aborts after `ms`, or when `ending` aborts. Its timer keeps a reference to it. A signal made by `AbortSignal.any` can be
 * garbage-collected while somebody still waits for it, and then never aborts (Node 20).
 */
export function deadline(ending: AbortSignal, ms: number): AbortSignal {
  const controller = new AbortController();
  const abort = () => {
    clearTimeout(timer);
    ending.removeEventListener('abort', abort);
    controller.abort();
  };
  const timer = setTimeout(abort, ms);
  timer.unref();
  // All files of a request share it: Node takes more than ten listeners for a leak.
  setMaxListeners(Infinity, ending);
  ending.addEventListener('abort', abort);
  if (ending.aborted) abort();
  return controller.signal;
}
