import { writeSync } from 'node:fs';
import pino from 'pino';

type Output = ReturnType<typeof pino.destination>;

/** Internals of sonic-boom 4, with which pino writes: the buffers that wait, and the one of the current (`_writing`) or last write. */
interface Inner {
  fd: number;
  destroyed: boolean;
  _writing: boolean;
  _writingBuf: string | Buffer;
  _bufs: (string | Buffer)[];
  _len: number;
}

/** Lines are written together, once they have so many bytes or after so long: a write costs more than a line. */
const TOGETHER_BYTES = 12 * 1024;
const LATEST_MS = 100;
/** At most this much is buffered while it cannot be written; further lines are lost. */
const WAITING_BYTES = 4 * 1024 * 1024;
/** At the end, a slow reader is waited for in so many steps of this length. */
const STEP_MS = 10;
const STEPS = 100;
const BUSY = new Set(['EAGAIN', 'EBUSY']);

/** Writes the bytes; returns those that could not be written. */
function leftOf(bytes: Buffer, fd: number): Buffer {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (let left = bytes, steps = 0; ;) {
    if (left.length === 0) return left;
    try {
      left = left.subarray(writeSync(fd, left));
    } catch (error) {
      steps += 1;
      if (!BUSY.has((error as NodeJS.ErrnoException).code ?? '') || steps > STEPS) return left;
      Atomics.wait(clock, 0, 0, STEP_MS);
    }
  }
}

/** Writes the buffers once. sonic-boom's own flushSync retries a failing write forever, which blocks the whole process. */
function flushOnce(output: Inner): void {
  if (output.destroyed || output.fd < 0) return;
  const inHand = output._writing ? Buffer.byteLength(output._writingBuf) : 0;
  if (!output._writing) {
    output._bufs.unshift(output._writingBuf);
    output._writingBuf = '';
  }
  const left = leftOf(Buffer.concat(output._bufs.map((part) => Buffer.from(part as string))), output.fd);
  output._bufs = left.length === 0 ? [] : [left.toString()];
  output._len = inHand + left.length;
}

/**
 * Destination of log lines. Neither a reader that is gone nor a full disk may stop the mail: without a reader, lines are
 * dropped; while the disk is full, writing them is retried.
 */
export function standardOutput(): Output {
  const output = pino.destination({
    ...{ dest: 1, sync: false, minLength: TOGETHER_BYTES, periodicFlush: LATEST_MS, maxLength: WAITING_BYTES },
  });
  // pino's own listener ignores only EPIPE (the reader is gone) and throws every other error.
  output.on('error', () => undefined);
  output.flushSync = () => flushOnce(output as unknown as Inner);
  return output;
}
