import { distinctAddresses } from '@lettermill/events';
import { addressIn, typedAddress } from './addresses';
import { fieldGroups, valueOf, valuesOf, type Field } from './fields';
import { MAX_RECIPIENTS } from './report';

/** What a feedback report (RFC 5965) says. */
export interface Feedback {
  type: string;
  /** Empty if the report leaves them out. */
  recipients: string[];
}

/** Report types by which a person says that the mail was unwanted. */
const COMPLAINT_TYPES = new Set(['abuse', 'fraud', 'virus', 'opt-out', 'opt-out-list', 'miscategorized', 'other']);

export const feedbackKind = (type: string) => (COMPLAINT_TYPES.has(type) ? 'complaint' : 'feedback');

/**
 * Providers that follow RFC 5965 except in some part of their own name the recipient in the header of the returned mail. A recipient noted
 * by a server counts more than the visible one: every copy shows that.
 */
const ORIGINAL_RECIPIENT_FIELDS = [
  'x-hmxmroriginalrecipient',
  'x-envelope-to',
  'envelope-to',
  'x-original-to',
  'delivered-to',
  'to',
];

export function readFeedback(text: string): Feedback | undefined {
  const fields = fieldGroups(text).flat();
  const type = valueOf(fields, 'feedback-type')?.toLowerCase();
  if (!type) return undefined;
  const values = valuesOf(fields, 'original-rcpt-to', 'final-recipient', 'removal-recipient', 'redacted-address');
  const named = values.flatMap((value) => typedAddress(value) ?? []);
  return { type, recipients: distinctAddresses(named).slice(0, MAX_RECIPIENTS) };
}

/** Addresses of the one recipient whose mailbox returned the mail, the most certain first. */
export function originalRecipients(original: readonly Field[]): string[] {
  return distinctAddresses(ORIGINAL_RECIPIENT_FIELDS.flatMap((name) => addressIn(valueOf(original, name)) ?? []));
}
