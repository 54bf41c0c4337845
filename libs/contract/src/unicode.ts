import { quoted } from './fault.wording';
import type { Finding } from './rules/rules';

/** Characters that an address, a name, a subject, a file name or a header value must not contain (docs/send.md 16). */
const CONTROL = /[\u0000-\u001f\u007f\u0085\u2028\u2029]/;

const LONE_SURROGATE = /\p{Surrogate}/u;

/** The control character (C0, DEL, NEL, U+2028, U+2029) or half a surrogate pair that a text must not contain. */
export function plainFault(text: string): Finding | undefined {
  const control = CONTROL.exec(text)?.[0];
  if (control === undefined) return unicodeFault(text);
  return {
    code: 'control_character',
    detail: `${quoted(text)} contains the control character ${codePointName(control)}`,
  };
}

export function unicodeFault(text: string): Finding | undefined {
  if (isWellFormed(text)) return undefined;
  return { code: 'invalid_unicode', detail: `${quoted(text)} contains half a surrogate pair` };
}

/** Whether the text is valid Unicode: without half a surrogate pair, which UTF-8 cannot express. */
export function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

/** Position of the first lone surrogate, in UTF-16 units; -1 if there is none. */
export function loneSurrogateAt(text: string): number {
  return text.search(LONE_SURROGATE);
}

/** `U+000A`. */
export function codePointName(char: string): string {
  return `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Characters as a person counts them: code points, as JSON Schema's maxLength does. */
export function countCharacters(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code >= 0xd800 && code <= 0xdbff) {
      const next = text.charCodeAt(i + 1);
      if (next >= 0xdc00 && next <= 0xdfff) i += 1;
    }
    count += 1;
  }
  return count;
}
