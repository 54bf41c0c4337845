/** Bytes by content: the SHA-256 of the bytes is their name, under the account that owns them. */
export interface StoredBlob {
  /** 64 hexadecimal digits. */
  blob: string;
  /** Bytes. */
  size: number;
}

/** How long a blob is kept after it was last put: as long as messages are, or for ever (campaigns). */
export type Keep = 'retention' | 'forever';

export interface BlobStore {
  /** Resolves when the bytes are durable. Putting what is there only renews its age. */
  put(accountId: string, bytes: Buffer, keep?: Keep): Promise<StoredBlob>;
  /** Undefined when there is no such blob in this account. */
  get(accountId: string, blob: string): Promise<Buffer | undefined>;
  /** Removes blobs kept for `retention` that were last put before `before` (ms since the epoch); returns how many. */
  sweep(before: number): Promise<number>;
  check(): Promise<void>;
  close(): Promise<void>;
}

export const BLOB_STORE = Symbol('BlobStore');
