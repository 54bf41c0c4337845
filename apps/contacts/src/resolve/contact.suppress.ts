import { lostCopy, originOf, UNSUBSCRIBED } from '../suppressions/suppression';
import type { Suppression } from '../suppressions/suppressions.store';
import { refusal, type Asked, type Resolution } from './contact.resolve';

/** What is suppressed of those whom a message is for. */
export interface FoundSuppressed {
  to: Suppression | undefined;
  copies: Suppression[];
}

/**
 * Ends a message whose address is suppressed, unless something else was said of its record before, and notes which of its copies are: they keep
 * nobody from the mail. Whether an unsubscription counts is up to the campaign, which the renderer knows: what was said of it stays said.
 */
export function withSuppressions(
  resolution: Resolution,
  { to, copies }: FoundSuppressed,
  said?: Asked['unsubscribed'],
): Resolution {
  if (resolution.refusal) return resolution;
  const own = to && !resolution.known ? refusal('suppressed', originOf(to), to.address) : undefined;
  const ends = to?.reason !== UNSUBSCRIBED;
  if (own && ends && !said) return { contact: resolution.contact, refusal: own };
  const unsubscribed = said ?? own?.reason;
  if (!unsubscribed && copies.length === 0) return resolution;
  return {
    ...resolution,
    ...(unsubscribed && { unsubscribed }),
    ...(copies.length > 0 && { suppressedCopies: copies.map(lostCopy) }),
  };
}
