import type { CopiesLeft } from '@lettermill/events';
import { instant, putOff, repeatAt, UNSAID, type Again, type Tried } from './delivery.again';
import type { AttemptEnd, CopyEnd, DeliveryReason } from './delivery';

/** What an attempt left of the copies. */
export interface Left {
  /** As it is told. */
  told: CopiesLeft;
  /** When those that wait are tried again. */
  dueAt: number | null;
  /** Whether some have the mail now, or may have it. */
  reached: boolean;
  /** Whether some of those that wait may have it. */
  unsure: boolean;
}

/** Of a mail without copies. */
const NOTHING_LEFT: Left = {
  told: { waiting: [], given_up: [], retry_at: null },
  ...{ dueAt: null, reached: false, unsure: false },
};

/**
 * Of copies that went with the main recipient, who has it or never gets it. One that may have arrived is not sent again: no attempt of
 * outcome `unknown` would explain the second one.
 */
export function leftBeside(tried: Tried, copies: CopyEnd[] | undefined): Left {
  if (!copies) return NOTHING_LEFT;
  return left(copies, (outcome, reason) => (outcome === 'deferred' ? putOff(tried, reason) : { reason }));
}

/** Of copies that went alone. One that may have arrived is sent again as the campaign's `on_uncertain` says. */
export function leftAlone(tried: Tried, copies: CopyEnd[]): Left {
  return left(copies, (outcome, reason) => {
    if (outcome === 'deferred') return putOff(tried, reason);
    const retryAt = outcome === 'unknown' ? repeatAt(tried) : null;
    return retryAt === null ? { reason } : { retryAt };
  });
}

/** All copies are given up, without another attempt. */
export function givenUp(to: string[], reason: DeliveryReason): Left {
  return {
    told: { waiting: [], given_up: to.map((address) => ({ address, ...reason })), retry_at: null },
    ...{ dueAt: null, reached: false, unsure: false },
  };
}

/** Every copy ended as the attempt did. */
export function alike(to: string[], { outcome, reason }: Pick<AttemptEnd, 'outcome' | 'reason'>): CopyEnd[] {
  return to.map((address) => ({ address, outcome, reason }));
}

/** Each copy waits for the time that `againFor` gives it, is given up, or neither, where the hop has it. */
function left(copies: CopyEnd[], againFor: (outcome: CopyEnd['outcome'], reason: DeliveryReason) => Again): Left {
  const waiting: string[] = [];
  const given_up: CopiesLeft['given_up'] = [];
  let dueAt: number | null = null;
  let unsure = false;
  const reached = copies.some(({ outcome }) => outcome === 'sent' || outcome === 'unknown');
  for (const { address, outcome, reason, hard } of copies) {
    if (outcome === 'sent') continue;
    const again = againFor(outcome, reason ?? UNSAID);
    if ('reason' in again) given_up.push({ address, ...again.reason, ...(hard && { hard }) });
    else {
      waiting.push(address);
      unsure ||= outcome === 'unknown';
      dueAt = Math.min(dueAt ?? again.retryAt, again.retryAt);
    }
  }
  return { told: { waiting, given_up, retry_at: dueAt === null ? null : instant(dueAt) }, dueAt, reached, unsure };
}
