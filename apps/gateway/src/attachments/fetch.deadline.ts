/**
 * A signal that aborts after `ms`, or with `ending`. Its timer holds it: what `AbortSignal.any` makes of others is forgotten by the garbage
 * collector while somebody still waits for it, and never aborts (Node 20).
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
  ending.addEventListener('abort', abort);
  if (ending.aborted) abort();
  return controller.signal;
}
