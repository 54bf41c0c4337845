import { matchedEmail, type Address, type CampaignLaunched, type LostCopy } from '@lettermill/events';
import type { MergedDetails } from './precedence';

/** The suppressed copies that a mail of the campaign does not go to: who only unsubscribed still gets what one can't unsubscribe from. */
export function suppressedFor({ unsubscribe }: Pick<CampaignLaunched, 'unsubscribe'>, copies: LostCopy[]): LostCopy[] {
  return unsubscribe ? copies : copies.filter(({ code }) => code !== 'unsubscribed');
}

/** A suppressed address gets no copy, and nobody who answers to all writes to it. */
export function withoutCopies(merged: MergedDetails, suppressed: LostCopy[]): MergedDetails {
  if (suppressed.length === 0) return merged;
  const gone = new Set(suppressed.map(({ address }) => address));
  const others = (list: Address[] | undefined) => list?.filter(({ email }) => !gone.has(matchedEmail(email)));
  return { ...merged, cc: others(merged.cc), bcc: others(merged.bcc) };
}
