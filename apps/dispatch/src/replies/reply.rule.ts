import type { ReasonCode } from '@lettermill/problems';

/** What an answer means. The row matches when every pattern that it has does; the first row that matches wins. */
export interface ReplyRule {
  /** The reply code, or how it begins. */
  code: string;
  enhanced?: RegExp;
  /** Against the text without the addresses in it. */
  text?: RegExp;
  action: 'bounced' | 'deferred';
  reason: ReasonCode;
  /** The mailbox or its domain is the cause: the address is worth suppressing. */
  hard: boolean;
  /** An answer that must come to this row. */
  sample: string;
}
