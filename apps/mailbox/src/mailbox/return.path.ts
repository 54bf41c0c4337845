import type { Readable } from 'node:stream';

/** Receives mails to the return path, and reports of test addresses to whatever sender, in addition to the mailbox. */
export interface ReturnPathReceiver {
  /** `forged`: an address in the form of ours that we have not signed. */
  judge(address: string): 'ours' | 'forged' | 'other';
  /** Rejects if the mail cannot be processed now. */
  deliver(address: string, raw: Buffer): Promise<void>;
}

/** A report begins with its findings, so the beginning of a large mail is enough. */
const MAX_HEAD_BYTES = 512 * 1024;

/** The beginning of a mail. */
export async function headOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size >= MAX_HEAD_BYTES) break;
  }
  stream.destroy();
  return Buffer.concat(chunks).subarray(0, MAX_HEAD_BYTES);
}
