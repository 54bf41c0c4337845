/** What a log keeps of its topics. */
export interface Retention {
  /** Records older than this many days may be removed; 0 = none are. */
  days: number;
  /** Topics from which nothing is ever removed. */
  keepWhole: string[];
}
