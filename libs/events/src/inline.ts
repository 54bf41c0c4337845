/** Bodies over this size go to the blob store instead of into an event (claim check). */
const MAX_INLINE_BYTES = 256 * 1024;
/** Most bytes that a UTF-16 unit takes in JSON. */
const MAX_JSON_BYTES_PER_UNIT = 6;

/** Whether a text may be part of an event: what counts is its size there, JSON escapes included. */
export function fitsInEvent(text: string): boolean {
  if (text.length > MAX_INLINE_BYTES) return false;
  return (
    text.length * MAX_JSON_BYTES_PER_UNIT <= MAX_INLINE_BYTES ||
    Buffer.byteLength(JSON.stringify(text)) <= MAX_INLINE_BYTES
  );
}
