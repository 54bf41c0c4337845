import { PRIORITIES, type PriorityRank } from '../deliveries/deliveries.store';

/** How many attempts there are places for: attempts of any priority, and those of high priority, which may have some additional places. */
export class Room {
  readonly forAny: number;
  readonly forHigh: number;

  /** `places` is negative while high priority occupies more places than there are for all. */
  constructor(places: number, besideForHigh = 0) {
    this.forAny = Math.max(0, places);
    this.forHigh = Math.max(0, places + besideForHigh);
  }

  for(rank: PriorityRank): number {
    return rank === PRIORITIES.high ? this.forHigh : this.forAny;
  }
}
