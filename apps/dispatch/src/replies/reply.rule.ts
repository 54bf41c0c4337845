import type { ReasonCode } from '@lettermill/problems';

/** What an answer means. A row matches if every pattern it has does; the first row that matches wins. */
export interface ReplyRule {
  /** The reply code, or its beginning. */
  code: string;
  enhanced?: RegExp;
  /** Matched against the text without the addresses in it. */
  text?: RegExp;
  /** A 5xx that is tried again, as every 4xx is. */
  deferred?: true;
  reason: ReasonCode;
  /** An answer for which this row must win. */
  sample: string;
}
