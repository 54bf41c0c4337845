/** How many characters of a value the detail of a fault repeats. */
const MAX_QUOTED_LENGTH = 80;

const INVISIBLE_CHARACTERS =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\p{Surrogate}/gu;

function escape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Half a surrogate pair at the end: not every client reads JSON that has it alone. */
const HALF_PAIR = /[\ud800-\udbff]$/;

/** Text cut to this many UTF-16 units, with no character cut in two. */
export function cutText(text: string, maxLength: number): string {
  return text.length > maxLength ? text.slice(0, maxLength).replace(HALF_PAIR, '') : text;
}

/** Text for a person: in «», cut to 80 characters, invisible characters written as escapes (`\u000a`). */
export function quoted(text: string): string {
  const cut = cutText(text, MAX_QUOTED_LENGTH);
  return `«${cut.replace(INVISIBLE_CHARACTERS, escape)}${cut.length < text.length ? '…' : ''}»`;
}

/** Any JSON value in a few words: «text», `the number 42`, `an array`. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return `the number ${value}`;
  if (value === null || typeof value !== 'object') return String(value);
  return Array.isArray(value) ? 'an array' : 'an object';
}

/** `one`, `one or two`, `one, two or three`. */
export function joinWithOr(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} or ${words[words.length - 1]}`;
}

/** Longer keys would make the answer too large. The pointer then names the object that has the key. */
const MAX_POINTER_KEY_LENGTH = 200;

/** JSON Pointer (RFC 6901) of a member or item. */
export function childPointer(pointer: string, key: string | number): string {
  if (typeof key === 'number') return `${pointer}/${key}`;
  if (key.length > MAX_POINTER_KEY_LENGTH) return pointer;
  return `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
