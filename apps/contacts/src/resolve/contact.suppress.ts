import { lostCopy, originOf, UNSUBSCRIBED } from '../suppressions/suppression';
import type { Suppression } from '../suppressions/suppressions.store';
import { refusal, type Resolution } from './contact.resolve';

/** What is suppressed of those whom a message is for. */
export interface FoundSuppressed {
  to: Suppression | undefined;
  copies: Suppression[];
}

/**
 * Ends a message whose address is suppressed, unless something else was said of its record before, and notes which of its copies are: they keep
 * nobody from the mail. Whether an unsubscription counts is up to the campaign, which the renderer knows.
 */
export function withSuppressions(resolution: Resolution, { to, copies }: FoundSuppressed): Resolution {
  if (resolution.refusal || (!to && copies.length === 0)) return resolution;
  const own = to && refusal('suppressed', originOf(to), to.address);
  const ends = to && to.reason !== UNSUBSCRIBED;
  if (own && ends && !resolution.known) return { contact: resolution.contact, refusal: own };
  return {
    ...resolution,
    ...(own && !ends && { unsubscribed: own.reason }),
    ...(copies.length > 0 && { suppressedCopies: copies.map(lostCopy) }),
  };
}
