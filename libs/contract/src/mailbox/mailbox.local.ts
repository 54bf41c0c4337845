import { quoted } from '../fault.wording';
import { codePointName } from '../unicode';

/** RFC 5321 4.5.3.1.1. */
const MAX_LOCAL_OCTETS = 64;

/** atext of RFC 5322, without the letters and digits. */
const ATEXT = new Set("!#$%&'*+-/=?^_`{|}~");

/** Characters that are invisible, or seen only as white space: they are pasted along with an address, never intended. */
const INVISIBLE = /[\p{White_Space}\u0080-\u009f\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u;

/** Matching of addresses turns these into `;`, a backtick and `k` (docs/send.md 7): this mailbox would be confused with another. */
const ASCII_LOOKALIKES = /[\u037e\u1fef\u212a]/;

function isAtext(char: string): boolean {
  const code = char.charCodeAt(0);
  if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57)) return true;
  return code > 0x7f || ATEXT.has(char);
}

function misleading(text: string): string | undefined {
  const found = (INVISIBLE.exec(text) ?? ASCII_LOOKALIKES.exec(text))?.[0];
  return found && `${codePointName(found)} is not allowed before @`;
}

function dotAtomFault(local: string): string | undefined {
  let previous = '.';
  for (let i = 0; i < local.length; i += 1) {
    const char = local[i]!;
    if (char === '.' && previous === '.') return 'a dot before @ must be between two other characters';
    if (char === '(' || char === ')') return 'comments are not allowed';
    if (char === ' ') return 'a space is not allowed before @';
    if (char !== '.' && !isAtext(char))
      return `${quoted(char)} is not allowed before @, unless the whole part is in quotes`;
    previous = char;
  }
  if (previous === '.') return 'a dot before @ must be between two other characters';
  return undefined;
}

/** QcontentSMTP of RFC 5321: printable ASCII and, by RFC 6531, UTF-8; after a backslash only ASCII. */
function quotedFault(local: string): string | undefined {
  for (let i = 1; i < local.length - 1; i += 1) {
    if (local[i] !== '\\') continue;
    i += 1;
    if (local.charCodeAt(i) > 0x7e) return 'only an ASCII character may follow a backslash';
  }
  return undefined;
}

/**
 * What is wrong with the part before the `@`, as a phrase; undefined if it is valid. Expects balanced quotes and no control
 * characters.
 */
export function localFault(local: string): string | undefined {
  if (local === '') return 'there is nothing before @';
  if (Buffer.byteLength(local) > MAX_LOCAL_OCTETS) {
    return `the part before @ is longer than ${MAX_LOCAL_OCTETS} octets`;
  }
  if (local[0] !== '"') return dotAtomFault(local) ?? misleading(local);
  return quotedFault(local) ?? misleading(local.replaceAll(' ', ''));
}
