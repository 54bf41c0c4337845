import { writeSync } from 'node:fs';
import pino from 'pino';

type Output = ReturnType<typeof pino.destination>;

/** Of sonic-boom 4, which pino writes by: what waits, and the part of it that a write has in hand (`_writing`) or had. */
interface Inner {
  fd: number;
  destroyed: boolean;
  _writing: boolean;
  _writingBuf: string | Buffer;
  _bufs: (string | Buffer)[];
  _len: number;
}

/** Lines go out together, so many bytes at once or after so long: a write for each costs more than the line itself. */
const TOGETHER_BYTES = 12 * 1024;
const LATEST_MS = 100;
/** So much waits where it can't be written; further lines are lost. */
const WAITING_BYTES = 4 * 1024 * 1024;
/** A reader that is behind is waited for at the end, in such steps. */
const STEP_MS = 10;
const STEPS = 100;
const BUSY = new Set(['EAGAIN', 'EBUSY']);

/** Answers what could not be written. */
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

/** What waits is written once. sonic-boom's own tries one that fails again for ever, and holds up the whole process. */
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
 * Where log lines go. A reader that is gone and a full disk are no reason to stop the mail: without a reader there are no
 * more lines, and those that a disk has no room for are tried again.
 */
export function standardOutput(): Output {
  const output = pino.destination({
    ...{ dest: 1, sync: false, minLength: TOGETHER_BYTES, periodicFlush: LATEST_MS, maxLength: WAITING_BYTES },
  });
  // pino's own listener lets pass that the reader is gone (EPIPE), and nothing else.
  output.on('error', () => undefined);
  output.flushSync = () => flushOnce(output as unknown as Inner);
  return output;
}
