const COMMA = 44;
/** `{`. With bit 5 set, `[` becomes it too, which saves a comparison. */
const OPEN = 0x7b;

/** One byte in so many is examined, so that counting costs nothing compared to parsing. */
const STRIDE = 32;

/** Bytes of memory that a value takes; most take less. */
const BYTES_PER_VALUE = 100;

/** A value takes at least two bytes of JSON text: `1,1,1`. */
export const MIN_VALUE_TEXT_BYTES = 2;

/**
 * Estimates how many values a JSON text has from the commas and opening brackets in a sample of its bytes. Those within strings count,
 * too, so the estimate is rather too high. It is better for many texts together; then `phase`, where the sample begins, should differ
 * from text to text.
 */
export function estimateValues(json: Buffer, phase = 0): number {
  let found = 0;
  for (let i = phase % STRIDE; i < json.length; i += STRIDE) {
    const code = json[i]!;
    if (code === COMMA || (code | 32) === OPEN) found += 1;
  }
  return found * STRIDE;
}

/** Estimates the bytes of memory that a JSON text and its parsed value take together. */
export function jsonWeight(json: Buffer): number {
  return json.length + BYTES_PER_VALUE * estimateValues(json);
}
