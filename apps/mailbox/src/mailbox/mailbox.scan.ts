import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { summaryOf, type MailSummary } from './mail.parsed';
import { idOfFileName, isDraftFileName, mailFileName, readEnvelopeLine, type Envelope } from './mailbox.file';

/** A mail of the mailbox in the index in memory. */
export interface MailEntry {
  summary: MailSummary;
  envelope: Envelope;
  receivedAt: number;
  /** Where the mail itself begins in the file. */
  offset: number;
}

export interface MailboxScan {
  /** Oldest first. */
  entries: MailEntry[];
  /** Names of files to be removed: incomplete ones, and mails beyond those to keep. */
  doomed: string[];
}

/** Bytes read of each file: the longest envelope line, and enough of the headers. */
const HEAD_BYTES = 128 * 1024;
const READ_BATCH_SIZE = 16;

async function readEntry(directory: string, id: string): Promise<MailEntry | undefined> {
  const file = await open(join(directory, mailFileName(id)), 'r');
  try {
    const [{ size: fileSize }, { buffer, bytesRead }] = await Promise.all([
      file.stat(),
      file.read(Buffer.allocUnsafe(HEAD_BYTES), 0, HEAD_BYTES, 0),
    ]);
    const head = buffer.subarray(0, bytesRead);
    const line = readEnvelopeLine(head);
    if (!line) return undefined;
    const { envelope, receivedAt, length: offset } = line;
    const size = fileSize - offset;
    return {
      summary: await summaryOf({ id, envelope, receivedAt, size }, head.subarray(offset)),
      envelope,
      receivedAt,
      offset,
    };
  } finally {
    await file.close();
  }
}

/** Rebuilds the index from the directory: one listing, then the head of each of the newest `keep` files. */
export async function scanMailbox(directory: string, keep: number): Promise<MailboxScan> {
  const names = (await readdir(directory, { withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
  const ids = names
    .map(idOfFileName)
    .filter((id) => id !== undefined)
    .sort();
  const newest = ids.slice(-keep);
  const scan: MailboxScan = {
    entries: [],
    doomed: [...names.filter(isDraftFileName), ...ids.slice(0, -keep).map(mailFileName)],
  };
  for (let at = 0; at < newest.length; at += READ_BATCH_SIZE) {
    const group = newest.slice(at, at + READ_BATCH_SIZE);
    const read = await Promise.all(group.map((id) => readEntry(directory, id)));
    read.forEach((entry, index) => {
      if (entry) scan.entries.push(entry);
      else scan.doomed.push(mailFileName(group[index]!));
    });
  }
  return scan;
}
