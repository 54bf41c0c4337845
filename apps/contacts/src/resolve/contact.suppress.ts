import { lostCopy, causeDetail, UNSUBSCRIBED } from '../suppressions/suppression';
import type { Suppression } from '../suppressions/suppressions.store';
import { refusal, type MessageToResolve, type Resolution } from './contact.resolve';

/** The suppressions of a message's recipient and copies. */
export interface FoundSuppressions {
  to: Suppression | undefined;
  copies: Suppression[];
}

/**
 * Ends a message whose recipient is suppressed, unless another outcome was noted for its record before. Lists its suppressed copies, which
 * do not keep the others from getting the mail. Whether an unsubscription counts depends on the campaign, which the renderer knows; what
 * was noted about it before stands.
 */
export function withSuppressions(
  resolution: Resolution,
  { to, copies }: FoundSuppressions,
  noted?: MessageToResolve['unsubscribed'],
): Resolution {
  if (resolution.refusal) return resolution;
  const recipientRefusal = to && !resolution.known ? refusal('suppressed', causeDetail(to), to.address) : undefined;
  const endsMessage = to?.reason !== UNSUBSCRIBED;
  if (recipientRefusal && endsMessage && !noted) {
    const { contact, changed } = resolution;
    return { contact, refusal: recipientRefusal, changed };
  }
  const unsubscribed = noted ?? recipientRefusal?.reason;
  if (!unsubscribed && copies.length === 0) return resolution;
  return {
    ...resolution,
    ...(unsubscribed && { unsubscribed }),
    ...(copies.length > 0 && { suppressedCopies: copies.map(lostCopy) }),
  };
}
