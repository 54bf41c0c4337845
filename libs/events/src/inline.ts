/** Bodies over this go to the blob store instead of riding in an event (claim check). */
const MAX_INLINE_BYTES = 256 * 1024;
/** What a character takes at most, as JSON writes it. */
const MAX_JSON_BYTES = 6;

/** Whether a text may ride in an event: what counts is the room that it takes there, escapes and all. */
export function ridesInline(text: string): boolean {
  if (text.length > MAX_INLINE_BYTES) return false;
  return (
    text.length * MAX_JSON_BYTES <= MAX_INLINE_BYTES || Buffer.byteLength(JSON.stringify(text)) <= MAX_INLINE_BYTES
  );
}
