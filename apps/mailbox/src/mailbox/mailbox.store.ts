import { randomUUID } from 'node:crypto';
import type { ReadStream } from 'node:fs';
import { mkdir, open, readFile, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Batcher } from '@lettermill/concurrency';
import { newId } from '@lettermill/events';
import type { Clock, Logger } from '@lettermill/runtime';
import { LRUCache } from 'lru-cache';
import type { Email } from 'postal-mime';
import { parsedMail, parseMime, summaryOf, type KeptMail, type MailSummary, type ParsedMail } from './mail.parsed';
import { writeDraft, type DraftFile } from './mailbox.draft';
import { draftName, envelopeLine, mailName, type Envelope } from './mailbox.file';
import { tooMany, type MailRoom } from './mailbox.room';
import { scanMailbox, type Entry } from './mailbox.scan';

/** How many mails the mailbox holds; older ones make room. */
export const MAILS_KEPT = 1000;
/** How many bytes of them: with the largest files 1,000 mails would have 14 GB. */
const BYTES_KEPT = 512 * 1024 * 1024;
const UNLINKED_AT_ONCE = 50;
/** Bytes of mails whose parsed form is remembered between the calls of one look at a mail. */
const PARSED_BYTES = 32 * 1024 * 1024;

export interface MailStoreOptions {
  directory: string;
  logger: Logger;
  clock?: Clock;
  /** The newest so many mails are kept. */
  keep?: number;
  /** And of those no more bytes, but for the newest. */
  keepBytes?: number;
}

interface Commit {
  draft: DraftFile;
  envelope: Envelope;
  receivedAt: number;
  offset: number;
}

type Outcome = Entry | Error;

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  await handle.sync().finally(() => handle.close());
}

/**
 * Mails as files, `<directory>/<id>.eml`, with an index in memory. A mail is synced under another name and renamed, so
 * that a name always holds a whole mail; the directory is synced once for all mails that arrive together.
 */
export class MailStore {
  private readonly byId = new Map<string, Entry>();
  private readonly parsed = new LRUCache<string, Email>({ maxSize: PARSED_BYTES });
  private readonly commits = new Batcher<Commit, Outcome>((commits) => this.commit(commits));
  private readonly epoch = randomUUID();
  private changes = 0;
  private lastTick = 0;
  private doomed: string[] = [];
  private sweeping: Promise<void> = Promise.resolve();

  private constructor(
    private readonly directory: string,
    private readonly logger: Logger,
    private readonly clock: Clock,
    private readonly room: MailRoom,
    /** Oldest first. */
    private entries: Entry[],
  ) {
    for (const entry of entries) this.byId.set(entry.summary.id, entry);
  }

  /** Opens (and makes) the directory, reads the index back, removes what a crash left torn. */
  static async open(options: MailStoreOptions): Promise<MailStore> {
    const { directory, logger, clock = Date.now, keep = MAILS_KEPT, keepBytes = BYTES_KEPT } = options;
    await mkdir(directory, { recursive: true, mode: 0o700 });
    // Also where it is there: whoever made it may have failed, or died, before its name was on the disk.
    await syncDirectory(dirname(directory));
    const { entries, doomed } = await scanMailbox(directory, keep);
    const store = new MailStore(directory, logger, clock, { mails: keep, bytes: keepBytes }, entries);
    void store.discard(doomed);
    store.makeRoom();
    return store;
  }

  /**
   * Keeps a mail while it arrives; durable when this resolves. Throws `MailTooLarge` over `limit` bytes, the stream's
   * error when the sender goes away, or the file system's.
   */
  async receive(envelope: Envelope, content: AsyncIterable<Buffer>, limit: number): Promise<MailSummary> {
    const receivedAt = this.clock();
    const firstLine = envelopeLine(envelope, receivedAt);
    const path = join(this.directory, draftName(randomUUID()));
    const draft = await writeDraft({ path, firstLine, content, limit });
    const outcome = await this.commits.add({ draft, envelope, receivedAt, offset: firstLine.length });
    if (outcome instanceof Error) throw outcome;
    return outcome.summary;
  }

  /** The newest mails first. */
  list(limit = this.room.mails): MailSummary[] {
    return this.entries
      .slice(-limit)
      .reverse()
      .map(({ summary }) => summary);
  }

  /** Differs whenever the list does, over restarts too. */
  version(): string {
    return `${this.epoch}.${this.changes}`;
  }

  /** The parsed mail, or nothing when it is not (any more) here. */
  async get(id: string): Promise<ParsedMail | undefined> {
    const entry = this.byId.get(id);
    const mime = await this.mime(id);
    return entry && mime && parsedMail(this.known(entry), mime);
  }

  /** The parts of a mail as the parser gives them. */
  async mime(id: string): Promise<Email | undefined> {
    const entry = this.byId.get(id);
    if (!entry) return undefined;
    const remembered = this.parsed.get(id);
    if (remembered) return remembered;
    const bytes = await readFile(this.path(id)).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    if (!bytes) return undefined;
    const mime = await parseMime(bytes.subarray(entry.offset));
    this.parsed.set(id, mime, { size: bytes.length });
    return mime;
  }

  /** The mail as it came, byte for byte. */
  async raw(id: string): Promise<{ size: number; stream: ReadStream } | undefined> {
    const entry = this.byId.get(id);
    if (!entry) return undefined;
    try {
      const handle = await open(this.path(id), 'r');
      return { size: entry.summary.size, stream: handle.createReadStream({ start: entry.offset }) };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** Whether there was such a mail. */
  async remove(id: string): Promise<boolean> {
    const entry = this.byId.get(id);
    if (!entry) return false;
    this.entries.splice(this.entries.indexOf(entry), 1);
    await this.forget([entry]);
    return true;
  }

  async clear(): Promise<void> {
    await this.forget(this.entries.splice(0));
  }

  /** Resolves when everything received is kept and everything discarded is gone. */
  async close(): Promise<void> {
    await this.commits.settled();
    await this.sweeping;
  }

  private path(id: string): string {
    return join(this.directory, mailName(id));
  }

  private known({ summary: { id, size }, envelope, receivedAt }: Entry): KeptMail {
    return { id, size, envelope, receivedAt };
  }

  /** Ids sort in the order of arrival, of one millisecond also. */
  private nextId(): string {
    this.lastTick = Math.max(this.clock(), this.lastTick + 1);
    return newId(this.lastTick);
  }

  private async commit(commits: Commit[]): Promise<Outcome[]> {
    const outcomes = await Promise.all(
      commits.map((commit) => this.place(commit, this.nextId()).catch((error: unknown) => error as Error)),
    );
    const placed = outcomes.filter((outcome): outcome is Entry => !(outcome instanceof Error));
    try {
      await syncDirectory(this.directory);
    } catch (error) {
      // Its sender is told to come again, so none of these may turn up after a restart.
      void this.discard(placed.map(({ summary }) => mailName(summary.id)));
      throw error;
    }
    for (const entry of placed) this.byId.set(entry.summary.id, entry);
    this.entries.push(...placed);
    this.changes += 1;
    this.makeRoom();
    return outcomes;
  }

  private makeRoom(): void {
    void this.forget(this.entries.splice(0, tooMany(this.entries, this.room)));
  }

  private async place({ draft, envelope, receivedAt, offset }: Commit, id: string): Promise<Entry> {
    try {
      const summary = await summaryOf({ id, envelope, receivedAt, size: draft.size }, draft.head);
      await rename(draft.path, this.path(id));
      return { summary, envelope, receivedAt, offset };
    } catch (error) {
      await unlink(draft.path).catch(() => undefined);
      throw error;
    }
  }

  /** Entries that the list has lost already: their files go, too. */
  private async forget(entries: Entry[]): Promise<void> {
    if (entries.length === 0) return;
    this.changes += 1;
    for (const { summary } of entries) {
      this.byId.delete(summary.id);
      this.parsed.delete(summary.id);
    }
    await this.discard(entries.map(({ summary }) => mailName(summary.id)));
  }

  /** Removes files by name, one round at a time, however many callers there are. */
  private discard(names: string[]): Promise<void> {
    this.doomed.push(...names);
    this.sweeping = this.sweeping.then(() => this.sweep());
    return this.sweeping;
  }

  private async sweep(): Promise<void> {
    while (this.doomed.length > 0) {
      const names = this.doomed.splice(0, UNLINKED_AT_ONCE);
      const removals = await Promise.allSettled(names.map((name) => unlink(join(this.directory, name))));
      for (const removal of removals) {
        if (removal.status === 'rejected' && !isMissing(removal.reason)) {
          this.logger.warn({ err: removal.reason as Error }, 'a file of the mailbox could not be removed');
        }
      }
    }
  }
}
