import type { MigratedStore } from '@lettermill/storage';

/** An API key as it is stored: its hash (SHA-256, hexadecimal), never the key itself. */
export interface StoredKey {
  hash: string;
  accountId: string;
  /** The name that its owner gave it. */
  name: string | null;
  /** Milliseconds since the epoch. */
  createdAt: number;
}

/** Keys of all accounts. Only the gateway writes them. */
export interface KeyStore extends MigratedStore {
  all(): Promise<StoredKey[]>;
  /**
   * False, with nothing stored, if the key exists already, or its account has `most` keys. Of concurrent calls, so many as would pass
   * `most` are refused; it may be all of them.
   */
  add(key: StoredKey, most?: number): Promise<boolean>;
  remove(hash: string): Promise<void>;
}

export const KEY_STORE = Symbol('KeyStore');
