import { addressIn, distinctAddresses, typedAddress } from './addresses';
import { fieldGroups, valueOf, valuesOf, type Field } from './fields';

/** What a feedback report (RFC 5965) says. */
export interface Feedback {
  type: string;
  /** None where it leaves them out. */
  recipients: string[];
}

/** Kinds by which a person says that the mail was not wanted. */
const COMPLAINTS = new Set(['abuse', 'fraud', 'virus', 'opt-out', 'opt-out-list', 'miscategorized', 'other']);

export const isComplaint = ({ type }: Pick<Feedback, 'type'>): boolean => COMPLAINTS.has(type);

/**
 * Providers that keep RFC 5965 but for a part of their own name the recipient in the header of the mail that comes back. Whom a server
 * noted that it was for counts more than whom it shows: every copy shows that.
 */
const ORIGINAL_FIELDS = [
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
  const told = valuesOf(fields, 'original-rcpt-to', 'final-recipient', 'removal-recipient', 'redacted-address');
  const named = told.flatMap((value) => typedAddress(value) ?? []);
  return { type, recipients: distinctAddresses(named).slice(0, 100) };
}

/** Addresses of the one recipient whom the mail came back from, the surest first. */
export function originalRecipients(original: readonly Field[]): string[] {
  return distinctAddresses(ORIGINAL_FIELDS.flatMap((name) => addressIn(valueOf(original, name)) ?? []));
}
