import { PRIORITIES, type PriorityRank } from '../deliveries/deliveries.store';

/** For how many attempts there are places: for those of any priority, and for those of high priority, which may have some beside these. */
export class Room {
  readonly forAny: number;
  readonly forHigh: number;

  /** `places` are less than none while those of high priority are in more of them than all have together. */
  constructor(places: number, besideForHigh = 0) {
    this.forAny = Math.max(0, places);
    this.forHigh = Math.max(0, places + besideForHigh);
  }

  for(rank: PriorityRank): number {
    return rank === PRIORITIES.high ? this.forHigh : this.forAny;
  }
}
