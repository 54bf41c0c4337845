import { writeSync } from 'node:fs';
import pino from 'pino';

type Output = ReturnType<typeof pino.destination>;

/** Internals of sonic-boom 4, with which pino writes: the buffers that wait, and the one of the current (`_writing`) or last write. */
interface SonicBoomInternals {
  fd: number;
  destroyed: boolean;
  _writing: boolean;
  _writingBuf: string | Buffer;
  _bufs: (string | Buffer)[];
  _len: number;
}

/** Lines are written together, once they have so many bytes or after so long: a write costs more than a line. */
const MIN_WRITE_BYTES = 12 * 1024;
const FLUSH_INTERVAL_MS = 100;
/** At most this much is buffered while it cannot be written; further lines are lost. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;
/** At the end, a slow reader is waited for in so many steps of this length. */
const RETRY_DELAY_MS = 10;
const MAX_RETRIES = 100;
const BUSY_CODES = new Set(['EAGAIN', 'EBUSY']);

/** Writes the bytes; returns those that could not be written. */
function writeWithRetries(bytes: Buffer, fd: number): Buffer {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (let unwritten = bytes, retries = 0; ;) {
    if (unwritten.length === 0) return unwritten;
    try {
      unwritten = unwritten.subarray(writeSync(fd, unwritten));
    } catch (error) {
      retries += 1;
      if (!BUSY_CODES.has((error as NodeJS.ErrnoException).code ?? '') || retries > MAX_RETRIES) return unwritten;
      Atomics.wait(clock, 0, 0, RETRY_DELAY_MS);
    }
  }
}

/** Writes the buffers once. sonic-boom's own flushSync retries a failing write forever, which blocks the whole process. */
function flushOnce(output: SonicBoomInternals): void {
  if (output.destroyed || output.fd < 0) return;
  const inHand = output._writing ? Buffer.byteLength(output._writingBuf) : 0;
  if (!output._writing) {
    output._bufs.unshift(output._writingBuf);
    output._writingBuf = '';
  }
  const left = writeWithRetries(Buffer.concat(output._bufs.map((part) => Buffer.from(part as string))), output.fd);
  output._bufs = left.length === 0 ? [] : [left.toString()];
  output._len = inHand + left.length;
}

/**
 * Destination of log lines. Neither a reader that is gone nor a full disk may stop the mail: without a reader, lines are
 * dropped; while the disk is full, writing them is retried.
 */
export function standardOutput(): Output {
  const output = pino.destination({
    dest: 1,
    sync: false,
    minLength: MIN_WRITE_BYTES,
    periodicFlush: FLUSH_INTERVAL_MS,
    maxLength: MAX_BUFFERED_BYTES,
  });
  // pino's own listener ignores only EPIPE (the reader is gone) and throws every other error.
  output.on('error', () => undefined);
  output.flushSync = () => flushOnce(output as unknown as SonicBoomInternals);
  return output;
}
