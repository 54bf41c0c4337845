import type { LostCopy, MessageAnswer, TimelineEntry } from '@lettermill/events';

/** What a message says of its copies (cc, bcc) that did not get the mail. */
export interface CopiesLeft {
  /** They are tried again. */
  waiting: string[];
  givenUp: LostCopy[];
  suppressed: LostCopy[];
}

/** What an entry of a timeline may say of copies (docs/api.md). */
type Entry = TimelineEntry & {
  attempt?: number;
  asynchronous?: boolean;
  waiting?: string[];
  given_up?: LostCopy[];
  suppressed_copies?: LostCopy[];
};

/** After these only the copies that they name are tried again; none if they name none. */
const DECIDING = new Set<string>(['sent', 'bounced', 'failed', 'cancelled', 'copies']);

const decides = ({ type, asynchronous }: Entry) => DECIDING.has(type) && !asynchronous;

/** The last that the timeline says of each copy. One that is given up may be tried again, with a message that is retried. */
export function copiesLeftOf({ timeline, attempts }: Pick<MessageAnswer, 'timeline' | 'attempts'>): CopiesLeft {
  const triedIn = (attempt?: number) => attempts.find(({ number }) => number === attempt)?.recipients ?? [];
  const givenUp = new Map<string, LostCopy>();
  const suppressed = new Map<string, LostCopy>();
  let waiting: string[] = [];
  for (const entry of timeline as Entry[]) {
    if (decides(entry)) waiting = entry.waiting ?? [];
    for (const { address } of triedIn(entry.attempt)) givenUp.delete(address);
    for (const copy of entry.given_up ?? []) givenUp.set(copy.address, copy);
    for (const copy of entry.suppressed_copies ?? []) suppressed.set(copy.address, copy);
  }
  return {
    waiting: waiting.filter((address) => !suppressed.has(address)),
    givenUp: [...givenUp.values()],
    suppressed: [...suppressed.values()],
  };
}
