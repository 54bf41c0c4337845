/** Bytes by content: the SHA-256 of the bytes is their name, under the account that owns them. */
export interface StoredBlob {
  /** 64 hexadecimal digits. */
  blob: string;
  /** Bytes. */
  size: number;
}

/** How long a blob is kept after it was last put: as long as messages are, or for ever (campaigns). */
export type BlobLifetime = 'retention' | 'forever';

/** Bytes that are stored but not yet a blob: `commit` makes them one (kept for `retention`), `discard` removes them. */
export interface BlobDraft extends StoredBlob {
  /** The bytes. Rejects after `commit` and `discard`. */
  read(): Promise<Buffer>;
  /** Resolves when the blob is durable under its name; rejects after `discard`. */
  commit(): Promise<void>;
  /** Removes the bytes; after `commit` it does nothing. */
  discard(): Promise<void>;
}

export interface BlobStore {
  /** Resolves when the bytes are durable. Putting a blob that exists only renews its age. */
  put(accountId: string, bytes: Buffer, keep?: BlobLifetime): Promise<StoredBlob>;
  /** Takes a stream without holding it in memory. When the stream fails, nothing is left and its error is thrown. */
  draft(accountId: string, source: AsyncIterable<Buffer>): Promise<BlobDraft>;
  /** Undefined when there is no such blob in this account. */
  get(accountId: string, blob: string): Promise<Buffer | undefined>;
  /**
   * Removes blobs kept for `retention` that were last put before `before` (ms since the epoch; null keeps all); returns how many. Where
   * several processes share the store, also drafts so old that their process has died.
   */
  sweep(before: number | null): Promise<number>;
  /** Removes drafts that a process left behind when it died. */
  discardDrafts(): Promise<void>;
  check(): Promise<void>;
  close(): Promise<void>;
}

export const BLOB_STORE = Symbol('BlobStore');
