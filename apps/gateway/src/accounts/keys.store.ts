import type { MigratedStore } from '@lettermill/storage';

/** An API key as it is kept: its hash (SHA-256, hexadecimal), never the key. */
export interface StoredKey {
  hash: string;
  accountId: string;
  /** What its owner calls it. */
  name: string | null;
  /** Milliseconds since the epoch. */
  createdAt: number;
}

/** Keys of all accounts; the gateway is their only writer. */
export interface KeyStore extends MigratedStore {
  all(): Promise<StoredKey[]>;
  /** Adding a key that is there changes nothing. */
  add(key: StoredKey): Promise<void>;
  remove(hash: string): Promise<void>;
}

export const KEY_STORE = Symbol('KeyStore');
