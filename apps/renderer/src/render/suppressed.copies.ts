import { matchedEmail, type Address, type CampaignLaunched, type LostCopy } from '@lettermill/events';
import type { MergedDetails } from './precedence';

/** The suppressed copies that apply to a mail of the campaign: those who only unsubscribed still get mails without unsubscribe links. */
export function suppressedFor({ unsubscribe }: Pick<CampaignLaunched, 'unsubscribe'>, copies: LostCopy[]): LostCopy[] {
  return unsubscribe ? copies : copies.filter(({ code }) => code !== 'unsubscribed');
}

/** Removes suppressed addresses from the copies, and from the `Cc` header, so that a reply to all does not go to them either. */
export function withoutCopies(merged: MergedDetails, suppressed: LostCopy[]): MergedDetails {
  if (suppressed.length === 0) return merged;
  const gone = new Set(suppressed.map(({ address }) => address));
  const others = (list: Address[] | undefined) => list?.filter(({ email }) => !gone.has(matchedEmail(email)));
  return { ...merged, cc: others(merged.cc), bcc: others(merged.bcc) };
}
