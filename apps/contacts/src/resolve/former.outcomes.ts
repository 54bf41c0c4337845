import type { MessageRequested, Reason } from '@lettermill/events';
import { UNSUBSCRIBED } from '../suppressions/suppression';
import type { Refusal, Resolution } from './contact.resolve';
import type { StoredRefusal } from './refusals.store';

/** What was decided of a message when a record of it was read before: that it ends, or continues to a recipient who had unsubscribed. */
export interface FormerOutcome {
  refusal?: Refusal;
  unsubscribed?: Reason;
  /** The request whose record carried it on, if that was noted here. Nothing is stored of it: the contact knows the record. */
  carriedBy?: string;
}

const NOTHING: FormerOutcome = {};

const nameOf = (accountId: string, messageId: string) => `${accountId} ${messageId}`;

function outcomeOf({ reason, address }: StoredRefusal): FormerOutcome {
  if (reason.code !== UNSUBSCRIBED) return { refusal: { reason, address } };
  return { unsubscribed: { ...reason, code: 'suppressed' } };
}

/**
 * What was decided of messages, by what is stored and, once noted here, by records that come first in the same batch: one message may be in
 * several records, and all end as the first did.
 */
export class FormerOutcomes {
  private readonly outcomes: Map<string, FormerOutcome>;
  private readonly notes: StoredRefusal[] = [];

  constructor(stored: readonly StoredRefusal[]) {
    this.outcomes = new Map(stored.map((one) => [nameOf(one.accountId, one.messageId), outcomeOf(one)]));
  }

  of({ account_id, message_id }: MessageRequested): FormerOutcome {
    return this.outcomes.get(nameOf(account_id, message_id)) ?? NOTHING;
  }

  /** Notes what was decided of a message, unless that was decided before. */
  note(data: MessageRequested, resolution: Resolution): void {
    const former = this.of(data);
    if (former.refusal || former.carriedBy !== undefined) return;
    const { account_id: accountId, message_id: messageId, request_id } = data;
    const outcome = former.unsubscribed ? undefined : notable(resolution);
    const note = outcome && { accountId, messageId, ...outcome };
    if (note) this.notes.push(note);
    const decided = { ...former, ...(note && outcomeOf(note)), ...(resolution.to && { carriedBy: request_id }) };
    this.outcomes.set(nameOf(accountId, messageId), decided);
  }

  /** What was noted here. It has to be stored before any event is published. */
  noted(): StoredRefusal[] {
    return this.notes;
  }
}

function notable(resolution: Resolution): Refusal | undefined {
  if (!resolution.to) return resolution.refusal;
  const { unsubscribed, to } = resolution;
  return unsubscribed && { reason: { ...unsubscribed, code: UNSUBSCRIBED }, address: to.email };
}
