const COMMA = 44;
/** Of `[` and `{`: bit 5 makes one of two characters. */
const OPEN = 0x7b;

/** Every so many bytes are looked at: counting is to cost nothing beside parsing. */
const STRIDE = 32;

/** What a value takes in memory, mostly less. */
const VALUE_BYTES = 100;

/** No text of JSON has more values than one in two bytes: `1,1,1`. */
export const LEAST_VALUE_BYTES = 2;

/**
 * About how many values a text of JSON has: commas and opening brackets of a sample, so that many texts together are judged better
 * than one. Those within strings count, too: it is rather too many. `phase` says where the sample begins; it should differ from text to text.
 */
export function valuesAbout(json: Buffer, phase = 0): number {
  let found = 0;
  for (let i = phase % STRIDE; i < json.length; i += STRIDE) {
    const code = json[i]!;
    if (code === COMMA || (code | 32) === OPEN) found += 1;
  }
  return found * STRIDE;
}

/** About how many bytes a text of JSON and what is parsed of it take in memory. */
export function jsonWeight(json: Buffer): number {
  return json.length + VALUE_BYTES * valuesAbout(json);
}
