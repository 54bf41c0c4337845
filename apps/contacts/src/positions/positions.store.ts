import type { MigratedStore } from '@lettermill/storage';
import type { AppliedPosition } from './positions';

/** How far contacts has come in each partition, over all replicas. */
export interface PositionsStore extends MigratedStore {
  /** In any order. */
  load(): Promise<AppliedPosition[]>;
  /** Each partition at most once; a position that is not further than the stored one changes nothing. */
  advance(applied: AppliedPosition[]): Promise<void>;
  /** Removes everything, because the log begins anew. */
  forget(): Promise<void>;
}

export const POSITIONS_STORE = Symbol('PositionsStore');
