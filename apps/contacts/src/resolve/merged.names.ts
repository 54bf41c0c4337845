import type { MessageRequested } from '@lettermill/events';
import type { Place } from '../positions/record.place';
import type { StoredContact } from './contact';

/** Each takes 33 bytes of every contact. A copy that comes after more messages than these is merged again. */
const MAX_MERGED_NAMES = 10;

/** A record of a message, and where it lies on the log. */
export interface PlacedRecord {
  data: MessageRequested;
  place: Place;
  position: number;
}

/**
 * A message of a request, and so its data: the same message in another request, which took the place of one that was never answered, may
 * have other data. Of the request's id, the random end is enough.
 */
function mergedName({ message_id, request_id }: MessageRequested): string {
  return `${message_id} ${request_id.slice(-12)}`;
}

const isOfMessage = (name: string, { message_id }: MessageRequested) => name.startsWith(`${message_id} `);

/**
 * The names once this message is merged. Those of one message stay together at the end, in the order in which they came, so that its first
 * is known about as long as its last.
 */
export function withMergedName(merged: string[], data: MessageRequested): string[] {
  const others = merged.filter((name) => !isOfMessage(name, data));
  const ofMessage = merged.filter((name) => isOfMessage(name, data));
  return [...others, ...ofMessage, mergedName(data)].slice(-MAX_MERGED_NAMES);
}

function isBehind({ applied }: StoredContact, { place, position }: PlacedRecord): boolean {
  return (applied[place] ?? -1) >= position;
}

/** Its record was applied before, or a copy of it: a gateway appends again what may not have been written, and both may be. */
export function isApplied(contact: StoredContact, record: PlacedRecord): boolean {
  return isBehind(contact, record) || contact.merged.includes(mergedName(record.data));
}

/**
 * Whether a record of another request came first and brought the message here: what became of it stands. A record that was applied and is
 * not named any more came before those that are.
 */
export function isPreceded(contact: StoredContact, record: PlacedRecord): boolean {
  const own = mergedName(record.data);
  const names = contact.merged.filter((name) => isOfMessage(name, record.data));
  if (names.includes(own)) return names[0] !== own;
  return names.length > 0 && !isBehind(contact, record);
}
