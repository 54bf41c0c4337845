/** What a log keeps of its topics. */
export interface Retention {
  /** Records older than this may go, 0 = none. */
  days: number;
  /** Topics of which nothing ever goes. */
  keepWhole: string[];
}
