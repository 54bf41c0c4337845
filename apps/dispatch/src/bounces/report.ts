import type { ReasonCode } from '@lettermill/problems';

/** Of one report, no more recipients are read. */
export const MAX_RECIPIENTS = 100;

/**
 * What an incoming mail is: `bounce` (refused permanently), `delayed` (a later server still tries), `delivered` (a positive notification),
 * `complaint` (a person called it spam), `feedback` (a report that no person made), `none` (anything else).
 */
export type ReportKind = 'bounce' | 'delayed' | 'delivered' | 'complaint' | 'feedback' | 'none';

/** What a report says about one recipient. */
export interface ReportedRecipient {
  address: string;
  /** Other addresses of the same recipient, from which the mail was forwarded on its way, as far as the report says. */
  forwardedFrom?: readonly string[];
  kind: ReportKind;
  /** The mailbox or its domain is the cause: the address should be suppressed. */
  hard: boolean;
  /** RFC 3463 code; null where none is given. */
  status: string | null;
  reason: ReasonCode;
  /** What the refusing server said, or the words of the report. */
  diagnostic: string;
}

/** What a report says about one recipient whose address it does not name. */
export type UnnamedRecipient = Omit<ReportedRecipient, 'address' | 'forwardedFrom'>;
export type FoundRecipient = UnnamedRecipient & Partial<ReportedRecipient>;

/** A person, or with `feedback` a machine, reports a mail to that address. */
export function complaintOf(address: string, kind: ReportKind): ReportedRecipient {
  return { address, kind, hard: false, status: null, reason: 'complained', diagnostic: '' };
}

/** An incoming mail as it was understood. */
export interface Report {
  kind: ReportKind;
  recipients: ReportedRecipient[];
  /** If it names no address. */
  unnamed?: UnnamedRecipient;
  /** Message-ID of the mail that it is about, with its angle brackets. */
  originalMessageId: string | null;
  /** Addresses that the report was sent to, or that the original had as its return path. */
  returnPaths: string[];
  /** Its Date, in milliseconds since the epoch; null if it has none that is credible. */
  writtenAt: number | null;
}
