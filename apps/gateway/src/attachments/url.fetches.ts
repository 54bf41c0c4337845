import type { BlobDraft, BlobStore } from '@lettermill/blobs';
import { Slots } from '@lettermill/concurrency';
import { MAX_ATTACHMENT_BYTES } from '@lettermill/contract';
import { LRUCache } from 'lru-cache';
import { fetchedType, sniffed } from './media.type';
import { committedOnce } from './request.files';
import { failed, FetchRefused } from './fetch.refused';
import type { UrlSource } from './url.source';

const MAX_CONCURRENT_OF_REQUEST = 4;
/** Over all requests of an account: slow servers keep our sockets busy, and other accounts need some, too. */
const MAX_CONCURRENT_OF_ACCOUNT = 64;
const MAX_REMEMBERED_ACCOUNTS = 10_000;
/** For all files of one request together: the caller is waiting. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Of all files that one request fetches, together. */
const MAX_REQUEST_BYTES = 4 * MAX_ATTACHMENT_BYTES;
const OUT_OF_TIME = `The ${REQUEST_TIMEOUT_MS / 1000} s for all files of one request are over.`;
const OVER_BUDGET = `The fetched files of one request can have ${MAX_REQUEST_BYTES} bytes together; this one exceeds that.`;

/** A file that was fetched and is not yet a blob. */
export interface FetchedDraft {
  draft: BlobDraft;
  /** The media type of the file under that name. */
  typeAs(fileName: string): string;
  /** Commits the file; resolves to its blob once that is durable. */
  store(): Promise<string>;
}

/** What one request may still use. */
interface Budget {
  bytes: number;
  ending: AbortSignal;
}

export function isFetched(outcome: FetchedDraft | FetchRefused): outcome is FetchedDraft {
  return !(outcome instanceof FetchRefused);
}

/** Fetches the files of requests. */
export class UrlFetches {
  private readonly slots = new LRUCache<string, Slots>({ max: MAX_REMEMBERED_ACCOUNTS });

  constructor(
    private readonly source: Pick<UrlSource, 'open'>,
    private readonly blobs: Pick<BlobStore, 'draft'>,
    private readonly timeoutMs = REQUEST_TIMEOUT_MS,
  ) {}

  /**
   * Fetches each address of one request once, a few at a time, all within one budget. If the store fails, its error is thrown and no draft
   * is left behind.
   */
  async fetchAll(accountId: string, addresses: string[]): Promise<Map<string, FetchedDraft | FetchRefused>> {
    const outcomes = new Map<string, FetchedDraft | FetchRefused>();
    const queue = new Set(addresses).values();
    const budget = { bytes: MAX_REQUEST_BYTES, ending: AbortSignal.timeout(this.timeoutMs) };
    const work = async () => {
      for (const address of queue) outcomes.set(address, await this.fetchWithin(accountId, address, budget));
    };
    const done = await Promise.allSettled(Array.from({ length: MAX_CONCURRENT_OF_REQUEST }, work));
    const failure = done.find((result) => result.status === 'rejected');
    if (!failure) return outcomes;
    await Promise.allSettled([...outcomes.values()].filter(isFetched).map(({ draft }) => draft.discard()));
    throw failure.reason;
  }

  private async fetchWithin(accountId: string, address: string, budget: Budget): Promise<FetchedDraft | FetchRefused> {
    const maxBytes = Math.min(budget.bytes, MAX_ATTACHMENT_BYTES);
    const { ending } = budget;
    try {
      const fetched = await this.slotsOf(accountId).run(() => this.fetch(accountId, address, maxBytes, ending), ending);
      const { draft } = fetched;
      if (draft.size <= budget.bytes) {
        budget.bytes -= draft.size;
        return fetched;
      }
      // Others have used up the budget meanwhile.
      await draft.discard();
      return new FetchRefused('attachments_too_large', OVER_BUDGET);
    } catch (error) {
      if (error === ending.reason) return failed(OUT_OF_TIME);
      if (!(error instanceof FetchRefused)) throw error;
      const overBudget = error.code === 'attachments_too_large' && maxBytes < MAX_ATTACHMENT_BYTES;
      return overBudget ? new FetchRefused(error.code, OVER_BUDGET) : error;
    }
  }

  private async fetch(
    accountId: string,
    address: string,
    maxBytes: number,
    ending: AbortSignal,
  ): Promise<FetchedDraft> {
    const { contentType, body } = await this.source.open(address, maxBytes, ending);
    const read = sniffed(body);
    const draft = await this.blobs.draft(accountId, read.bytes);
    const head = await read.head();
    return { draft, typeAs: (fileName) => fetchedType(contentType, head, fileName), store: committedOnce(draft) };
  }

  private slotsOf(accountId: string): Slots {
    let slots = this.slots.get(accountId);
    if (!slots) this.slots.set(accountId, (slots = new Slots(MAX_CONCURRENT_OF_ACCOUNT)));
    return slots;
  }
}
