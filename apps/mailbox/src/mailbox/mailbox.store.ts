import { randomUUID } from 'node:crypto';
import type { ReadStream } from 'node:fs';
import { chmod, mkdir, open, readFile, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Batcher } from '@lettermill/concurrency';
import { newId, timeOfId } from '@lettermill/events';
import type { Clock, Logger } from '@lettermill/runtime';
import { LRUCache } from 'lru-cache';
import type { Email } from 'postal-mime';
import { parsedMail, parseMime, summaryOf, type StoredMail, type MailSummary, type ParsedMail } from './mail.parsed';
import { writeDraft, type DraftFile } from './mailbox.draft';
import { draftFileName, envelopeLine, mailFileName, type Envelope } from './mailbox.file';
import { countExcess, type MailboxLimits } from './mailbox.limits';
import { scanMailbox, type MailEntry } from './mailbox.scan';

/** How many mails the mailbox holds; older ones are removed. */
export const MAX_MAILS = 1000;
/** Maximum bytes of all mails: 1,000 of the largest would have 14 GB. */
const MAX_MAILBOX_BYTES = 512 * 1024 * 1024;
const UNLINK_BATCH_SIZE = 50;
/** Bytes of mails whose parsed form is cached: showing one mail takes several calls. */
const PARSED_CACHE_BYTES = 32 * 1024 * 1024;

export interface MailStoreOptions {
  directory: string;
  logger: Logger;
  clock?: Clock;
  /** How many of the newest mails are kept. */
  keep?: number;
  /** Maximum bytes of the mails kept, except that the newest is always kept. */
  keepBytes?: number;
}

interface Commit {
  draft: DraftFile;
  envelope: Envelope;
  receivedAt: number;
  offset: number;
}

type CommitOutcome = MailEntry | Error;

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  await handle.sync().finally(() => handle.close());
}

/**
 * Mails as files, `<directory>/<id>.eml`, with an index in memory. A mail is synced under a temporary name and then renamed, so that a file
 * of this name is always complete; the directory is synced once for all mails that arrive together.
 */
export class MailStore {
  private readonly byId = new Map<string, MailEntry>();
  private readonly parsedCache = new LRUCache<string, Email>({ maxSize: PARSED_CACHE_BYTES });
  private readonly parsing = new Map<string, Promise<Email | undefined>>();
  private readonly commits = new Batcher<Commit, CommitOutcome>((commits) => this.commit(commits));
  private readonly epoch = randomUUID();
  private changes = 0;
  private lastTick = 0;
  private filesToRemove: string[] = [];
  private sweeping: Promise<void> = Promise.resolve();

  private constructor(
    private readonly directory: string,
    private readonly logger: Logger,
    private readonly clock: Clock,
    private readonly limits: MailboxLimits,
    /** Oldest first. */
    private entries: MailEntry[],
  ) {
    for (const entry of entries) this.byId.set(entry.summary.id, entry);
    const newest = entries.at(-1);
    if (newest) this.lastTick = timeOfId(newest.summary.id);
  }

  /** Opens (or makes) the directory, rebuilds the index, and removes incomplete files that a crash left. */
  static async open(options: MailStoreOptions): Promise<MailStore> {
    const { directory, logger, clock = Date.now, keep = MAX_MAILS, keepBytes = MAX_MAILBOX_BYTES } = options;
    await mkdir(directory, { recursive: true, mode: 0o700 });
    // Restored from a copy, it may be readable for everybody.
    await chmod(directory, 0o700).catch(() => undefined);
    // Needed even if the directory exists: whoever made it may have failed or died before its entry was on disk.
    await syncDirectory(dirname(directory));
    const { entries, doomed } = await scanMailbox(directory, keep);
    const store = new MailStore(directory, logger, clock, { mails: keep, bytes: keepBytes }, entries);
    void store.discard(doomed);
    store.enforceLimits();
    return store;
  }

  /**
   * Stores a mail while it arrives; it is durable when this resolves. Throws `MailTooLarge` over `limit` bytes, the error of the stream if
   * the sender disconnects, or an error of the file system.
   */
  async receive(envelope: Envelope, content: AsyncIterable<Buffer>, limit: number): Promise<MailSummary> {
    const receivedAt = this.clock();
    const firstLine = envelopeLine(envelope, receivedAt);
    const path = join(this.directory, draftFileName(randomUUID()));
    const draft = await writeDraft({ path, firstLine, content, limit });
    const outcome = await this.commits.add({ draft, envelope, receivedAt, offset: firstLine.length });
    if (outcome instanceof Error) throw outcome;
    return outcome.summary;
  }

  /** Newest first. */
  list(limit = this.limits.mails): MailSummary[] {
    return this.entries
      .slice(-limit)
      .reverse()
      .map(({ summary }) => summary);
  }

  /** Changes whenever the list changes, and differs after a restart. */
  version(): string {
    return `${this.epoch}.${this.changes}`;
  }

  /** The parsed mail; undefined if it is not in the mailbox (any more). */
  async get(id: string): Promise<ParsedMail | undefined> {
    const entry = this.byId.get(id);
    const mime = await this.mime(id);
    return entry && mime && parsedMail(this.storedMailOf(entry), mime);
  }

  /** The parts of a mail as the parser returns them. Calls that ask for the same mail share the work, which may take seconds. */
  async mime(id: string): Promise<Email | undefined> {
    const entry = this.byId.get(id);
    if (!entry) return undefined;
    const cached = this.parsedCache.get(id) ?? this.parsing.get(id);
    if (cached) return cached;
    const parsing = this.parse(entry).finally(() => this.parsing.delete(id));
    this.parsing.set(id, parsing);
    return parsing;
  }

  /** The mail as received, byte for byte. */
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

  /** False if there was no such mail. */
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

  /** Resolves when everything received is stored and everything discarded is removed. */
  async close(): Promise<void> {
    await this.commits.settled();
    await this.sweeping;
  }

  private path(id: string): string {
    return join(this.directory, mailFileName(id));
  }

  private async parse({ summary: { id }, offset }: MailEntry): Promise<Email | undefined> {
    const bytes = await readFile(this.path(id)).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    if (!bytes) return undefined;
    const mime = await parseMime(bytes.subarray(offset));
    if (this.byId.has(id)) this.parsedCache.set(id, mime, { size: bytes.length });
    return mime;
  }

  private storedMailOf({ summary: { id, size }, envelope, receivedAt }: MailEntry): StoredMail {
    return { id, size, envelope, receivedAt };
  }

  /** Ids sort in the order of arrival, even within one millisecond, and when the clock was set back. */
  private nextId(): string {
    this.lastTick = Math.max(this.clock(), this.lastTick + 1);
    return newId(this.lastTick);
  }

  private async commit(commits: Commit[]): Promise<CommitOutcome[]> {
    const outcomes = await Promise.all(
      commits.map((commit) => this.place(commit, this.nextId()).catch((error: unknown) => error as Error)),
    );
    const placed = outcomes.filter((outcome): outcome is MailEntry => !(outcome instanceof Error));
    try {
      await syncDirectory(this.directory);
    } catch (error) {
      // The senders are told to try again, so none of these mails may reappear after a restart.
      void this.discard(placed.map(({ summary }) => mailFileName(summary.id)));
      throw error;
    }
    for (const entry of placed) this.byId.set(entry.summary.id, entry);
    this.entries.push(...placed);
    this.changes += 1;
    this.enforceLimits();
    return outcomes;
  }

  private enforceLimits(): void {
    void this.forget(this.entries.splice(0, countExcess(this.entries, this.limits)));
  }

  private async place({ draft, envelope, receivedAt, offset }: Commit, id: string): Promise<MailEntry> {
    try {
      const summary = await summaryOf({ id, envelope, receivedAt, size: draft.size }, draft.head);
      await rename(draft.path, this.path(id));
      return { summary, envelope, receivedAt, offset };
    } catch (error) {
      await unlink(draft.path).catch(() => undefined);
      throw error;
    }
  }

  /** Forgets entries that were removed from the list, and deletes their files. */
  private async forget(entries: MailEntry[]): Promise<void> {
    if (entries.length === 0) return;
    this.changes += 1;
    for (const { summary } of entries) {
      this.byId.delete(summary.id);
      this.parsedCache.delete(summary.id);
    }
    await this.discard(entries.map(({ summary }) => mailFileName(summary.id)));
  }

  /** Deletes files by name; only one round runs at a time, however many callers there are. */
  private discard(names: string[]): Promise<void> {
    this.filesToRemove.push(...names);
    this.sweeping = this.sweeping.then(() => this.sweep());
    return this.sweeping;
  }

  private async sweep(): Promise<void> {
    while (this.filesToRemove.length > 0) {
      const names = this.filesToRemove.splice(0, UNLINK_BATCH_SIZE);
      const removals = await Promise.allSettled(names.map((name) => unlink(join(this.directory, name))));
      for (const removal of removals) {
        if (removal.status === 'rejected' && !isMissing(removal.reason)) {
          this.logger.warn({ err: removal.reason as Error }, 'a file of the mailbox could not be removed');
        }
      }
    }
  }
}
