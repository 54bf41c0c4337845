import { lostCopy, causeDetail, UNSUBSCRIBED } from '../suppressions/suppression';
import type { Suppression } from '../suppressions/suppressions.store';
import { refusal, type Refusal, type Resolution } from './contact.resolve';
import type { FormerOutcome } from './former.outcomes';

/** The suppressions of a message's recipient and copies. */
export interface FoundSuppressions {
  to: Suppression | undefined;
  copies: Suppression[];
}

/**
 * Ends a message whose recipient is suppressed, or of which a record was decided to end before. Lists its suppressed copies, which do not
 * keep the others from getting the mail. Whether an unsubscription counts depends on the campaign, which the renderer knows; what was said
 * about it before stands.
 */
export function withSuppressions(
  resolution: Resolution,
  { to, copies }: FoundSuppressions,
  former: FormerOutcome,
): Resolution {
  if (former.refusal) return ended(resolution, former.refusal);
  if (!resolution.to) return resolution;
  const recipientRefusal = to && !resolution.known ? refusal('suppressed', causeDetail(to), to.address) : undefined;
  const endsMessage = to?.reason !== UNSUBSCRIBED;
  if (recipientRefusal && endsMessage && !former.unsubscribed) return ended(resolution, recipientRefusal);
  const unsubscribed = former.unsubscribed ?? recipientRefusal?.reason;
  if (!unsubscribed && copies.length === 0) return resolution;
  return {
    ...resolution,
    ...(unsubscribed && { unsubscribed }),
    ...(copies.length > 0 && { suppressedCopies: copies.map(lostCopy) }),
  };
}

/** The contact is told as it is stored, without the data of a record that was applied before. */
function ended(resolution: Resolution, why: Refusal): Resolution {
  if (!resolution.to) return { ...resolution, refusal: why };
  const { contact, known = contact, changed } = resolution;
  return { contact: known, refusal: why, changed };
}
