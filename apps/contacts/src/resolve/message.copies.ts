import { strongest, type Copies } from '@lettermill/events';
import { suppressedForm } from '../suppressions/suppression';
import type { MessageToResolve } from './contact.resolve';

const NONE: string[] = [];

/**
 * Mailboxes that a message's copies go to, in the form in which suppressions are stored. As in the renderer, `strongest` decides which
 * lists apply.
 */
export function copiesOf({ data, shared }: Pick<MessageToResolve, 'data' | 'shared'>): string[] {
  const request = shared === 'lost' ? undefined : shared?.message;
  if (!data.message && !request && !data.campaign_copies) return NONE;
  const levels: (Copies | undefined)[] = [data.campaign_copies, request, data.message];
  const copies = [...(strongest(levels, 'cc') ?? []), ...(strongest(levels, 'bcc') ?? [])];
  const emails = copies.map(({ email }) => suppressedForm(email));
  return [...new Set(emails)];
}
