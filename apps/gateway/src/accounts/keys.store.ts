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
  /** Adding a key that exists already changes nothing. */
  add(key: StoredKey): Promise<void>;
  remove(hash: string): Promise<void>;
}

export const KEY_STORE = Symbol('KeyStore');
