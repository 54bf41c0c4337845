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

/** `caller_revoked`: the other key is none any more. `contested`: that one is itself being revoked at this moment. Nothing was removed. */
export type Revocation = 'revoked' | 'caller_revoked' | 'contested';

/** Keys of all accounts. Only the gateway writes them. */
export interface KeyStore extends MigratedStore {
  all(): Promise<StoredKey[]>;
  /**
   * False, with nothing stored, if the key exists already, or its account has `most` keys. Of concurrent calls, so many as would pass
   * `most` are refused; it may be all of them.
   */
  add(key: StoredKey, most?: number): Promise<boolean>;
  remove(hash: string): Promise<void>;
  /**
   * Removes a key on behalf of another one, `by`; it may be gone already. Keys that revoke each other at the same time are never all
   * removed.
   */
  revoke(hash: string, by: string, now: number): Promise<Revocation>;
}

export const KEY_STORE = Symbol('KeyStore');
