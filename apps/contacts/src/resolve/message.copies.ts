import type { Copies } from '@lettermill/events';
import { suppressedForm } from '../suppressions/suppression';
import type { Asked } from './contact.resolve';

const NONE: string[] = [];

/**
 * Mailboxes that a message's copies go to, in the form in which they are suppressed. `cc` and `bcc` are each the strongest level's
 * that has them (docs/send.md 10), as the renderer merges them.
 */
export function copiesOf({ data, shared }: Pick<Asked, 'data' | 'shared'>): string[] {
  const request = shared === 'lost' ? undefined : shared?.message;
  if (!data.message && !request && !data.campaign_copies) return NONE;
  const levels: (Copies | undefined)[] = [data.message, request, data.campaign_copies];
  const strongest = (list: keyof Copies) => levels.find((level) => level?.[list])?.[list] ?? [];
  const emails = [...strongest('cc'), ...strongest('bcc')].map(({ email }) => suppressedForm(email));
  return [...new Set(emails)];
}
