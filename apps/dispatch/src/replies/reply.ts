import type { Reply } from '@lettermill/events';

export type { Reply };

const MAX_TEXT_LENGTH = 500;
/** Cisco's gateways write the code as `#5.1.0`. */
const ENHANCED_CODE = /^#?([245]\.\d{1,3}\.\d{1,3})(?:\s+|$)/;
/** The code as qmail writes it, at the end of the text. */
const TRAILING_ENHANCED_CODE = /\(#([245]\.\d{1,3}\.\d{1,3})\b/;

/**
 * Reads an SMTP answer as received, its lines separated by LF (RFC 5321 section 4.2). The lines are joined without the enhanced code (RFC
 * 3463) of each, control characters become blanks, and the text is cut to 500 characters. An enhanced code at the end of the text is read,
 * but stays there. Undefined if the answer does not begin with a reply code.
 */
export function parseReply(response: string): Reply | undefined {
  const code = /^([2-5]\d\d)(?:[ -]|\r?$|\r?\n)/.exec(response)?.[1];
  if (!code) return undefined;
  let enhanced: string | null = null;
  const lines = response.split(/\r?\n/).map((line) => {
    const text = line.replace(/^\d{3}[ -]?/, '').trim();
    const found = ENHANCED_CODE.exec(text);
    if (!found) return text;
    enhanced ??= found[1]!;
    return text.slice(found[0].length);
  });
  const text = lines.join(' ').replace(/[\u0000-\u001f\u007f]+/g, ' ');
  return {
    code: Number(code),
    enhanced: enhanced ?? TRAILING_ENHANCED_CODE.exec(text)?.[1] ?? null,
    text: truncate(text.trim()),
  };
}

/** The whole reply in one line, codes first. */
export function lineOf({ code, enhanced, text }: Reply): string {
  return [code, enhanced, text].filter(Boolean).join(' ');
}

/** Enhanced codes that by themselves say that the recipient's address is bad (RFC 3463, X.1.*), not the sender's. */
const ADDRESS_CODE = /^[45]\.1\.(?:[1236]|10)$/;

/**
 * Whether the enhanced code is about the address of a recipient: a filter that refuses the content may use the same words, but not the
 * code.
 */
export function isAboutAddress({ enhanced }: Pick<Reply, 'enhanced'>): boolean {
  return ADDRESS_CODE.test(enhanced ?? '');
}

/** At most 500 characters, none of them split. */
export function truncate(text: string): string {
  return text.length <= MAX_TEXT_LENGTH
    ? text
    : [...text.slice(0, MAX_TEXT_LENGTH * 2)].slice(0, MAX_TEXT_LENGTH).join('');
}
