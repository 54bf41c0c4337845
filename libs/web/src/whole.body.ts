import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

/**
 * Reads the body of an answer of `fetch`; rejects as `fetch` does once its signal aborts. `fetch` itself may stop listening to the signal
 * once its request is garbage-collected, which may be before the body is whole: in Node 20 it does where redirects are errors.
 */
export async function wholeBody({ body }: Response, signal: AbortSignal): Promise<Buffer> {
  if (!body) return Buffer.alloc(0);
  try {
    return await buffer(Readable.fromWeb(body, { signal }));
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}
