import type { MigratedStore } from '@lettermill/storage';
import type { Reached } from './reach';

/** How far the contacts have come in each partition, all replicas together. */
export interface ReachStore extends MigratedStore {
  /** In any order. */
  load(): Promise<Reached[]>;
  /** Of each partition once at most; what is not further than what is there changes nothing. */
  advance(reached: Reached[]): Promise<void>;
  /** The log begins anew. */
  forget(): Promise<void>;
}

export const REACH_STORE = Symbol('ReachStore');
