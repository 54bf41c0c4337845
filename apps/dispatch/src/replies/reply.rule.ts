import type { ReasonCode } from '@lettermill/problems';

/** What an answer means. A row matches if every pattern it has does; the first row that matches wins. */
export interface ReplyRule {
  /** The reply code, or its beginning. */
  code: string;
  enhanced?: RegExp;
  /** Matched against the text without the addresses in it. */
  text?: RegExp;
  action: 'bounced' | 'deferred';
  reason: ReasonCode;
  /** The mailbox or its domain is the cause: the address should be suppressed. */
  hard: boolean;
  /** An answer for which this row must win. */
  sample: string;
}
