import { addressIn, distinctAddresses, typedAddress } from './addresses';
import { fieldGroups, valueOf, valuesOf, type Field } from './fields';

/** What a feedback report (RFC 5965) says. */
export interface Feedback {
  type: string;
  recipients: string[];
}

/** Kinds by which a person says that the mail was not wanted. */
const COMPLAINTS = new Set(['abuse', 'fraud', 'virus', 'opt-out', 'opt-out-list', 'miscategorized', 'other']);

export const isComplaint = ({ type }: Pick<Feedback, 'type'>): boolean => COMPLAINTS.has(type);

/** Providers that keep RFC 5965 but for a part of their own name the recipient in the header of the mail that comes back. */
const ORIGINAL_FIELDS = [
  'x-hmxmroriginalrecipient',
  'to',
  'x-envelope-to',
  'envelope-to',
  'x-original-to',
  'delivered-to',
];

export function readFeedback(text: string, original: readonly Field[]): Feedback | undefined {
  const fields = fieldGroups(text).flat();
  const type = valueOf(fields, 'feedback-type')?.toLowerCase();
  if (!type) return undefined;
  const told = valuesOf(fields, 'original-rcpt-to', 'final-recipient', 'removal-recipient', 'redacted-address');
  const named = told.flatMap((value) => typedAddress(value) ?? []);
  return { type, recipients: distinctAddresses(named.length > 0 ? named : originalRecipients(original)).slice(0, 100) };
}

export function originalRecipients(original: readonly Field[]): string[] {
  for (const name of ORIGINAL_FIELDS) {
    const address = addressIn(valueOf(original, name));
    if (address) return [address];
  }
  return [];
}
