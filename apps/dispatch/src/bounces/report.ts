import type { ReasonCode } from '@lettermill/problems';

/**
 * What a mail that came in is: `bounce` (refused for good), `delayed` (a later server still tries), `delivered` (a positive
 * notification), `complaint` (a person called it spam), `feedback` (a report that no person made), `none` (anything else).
 */
export type ReportKind = 'bounce' | 'delayed' | 'delivered' | 'complaint' | 'feedback' | 'none';

/** Of one recipient. */
export interface ReportedRecipient {
  address: string;
  /** Other addresses of the same recipient: those that the mail was forwarded from on its way there, as far as the report tells. */
  forwardedFrom?: readonly string[];
  kind: ReportKind;
  /** The mailbox or its domain is the cause: the address is worth suppressing. */
  hard: boolean;
  /** RFC 3463 code; null where none is given. */
  status: string | null;
  reason: ReasonCode;
  /** What the refusing server said, or the words of the report. */
  diagnostic: string;
}

/** A mail that came in, read. */
export interface Report {
  kind: ReportKind;
  recipients: ReportedRecipient[];
  /** Message-ID of the mail that it is about, with its angle brackets. */
  originalMessageId: string | null;
  /** Addresses that the report was sent to, or that the original had as its return path. */
  returnPaths: string[];
  /** Its Date, in milliseconds since the epoch; null where it has none that can be believed. */
  writtenAt: number | null;
  /** Feedback-Type of RFC 5965. */
  feedbackType: string | null;
}
