import type { MigratedStore } from '@lettermill/storage';
import type { ReachedPosition } from './reach';

/** How far contacts has come in each partition, over all replicas. */
export interface ReachStore extends MigratedStore {
  /** In any order. */
  load(): Promise<ReachedPosition[]>;
  /** Each partition at most once; a position that is not further than the stored one changes nothing. */
  advance(reached: ReachedPosition[]): Promise<void>;
  /** Removes everything, because the log begins anew. */
  forget(): Promise<void>;
}

export const REACH_STORE = Symbol('ReachStore');
