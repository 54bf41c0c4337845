import type { Reply } from '@lettermill/events';

export type { Reply };

const MAX_TEXT = 500;
/** Cisco's gateways write it as `#5.1.0`. */
const ENHANCED = /^#?([245]\.\d{1,3}\.\d{1,3})(?:\s+|$)/;
/** As qmail writes it, at the end of its words. */
const BEHIND = /\(#([245]\.\d{1,3}\.\d{1,3})\b/;

/**
 * Reads an SMTP answer as it came off the wire, lines parted by LF (RFC 5321 section 4.2). The text of the lines is joined, the
 * enhanced code (RFC 3463) taken off each, control characters made blanks, and the whole cut to 500 characters. A code that stands
 * behind the words is read and stays there.
 * Undefined where it does not begin with a reply code.
 */
export function parseReply(response: string): Reply | undefined {
  const code = /^([2-5]\d\d)(?:[ -]|\r?$|\r?\n)/.exec(response)?.[1];
  if (!code) return undefined;
  let enhanced: string | null = null;
  const lines = response.split(/\r?\n/).map((line) => {
    const text = line.replace(/^\d{3}[ -]?/, '').trim();
    const found = ENHANCED.exec(text);
    if (!found) return text;
    enhanced ??= found[1]!;
    return text.slice(found[0].length);
  });
  const text = lines.join(' ').replace(/[\u0000-\u001f\u007f]+/g, ' ');
  return { code: Number(code), enhanced: enhanced ?? BEHIND.exec(text)?.[1] ?? null, text: cut(text.trim()) };
}

/** All of it in one line, codes first. */
export function lineOf({ code, enhanced, text }: Reply): string {
  return [code, enhanced, text].filter(Boolean).join(' ');
}

/** The code alone says that the address is no good (RFC 3463, X.1.*), and nothing of its sender. */
const OF_ADDRESS = /^[45]\.1\.(?:[1236]|10)$/;

/** Whether the enhanced code is about the address of a recipient: a filter that answers to the content may say the words alone. */
export function isOfAddress({ enhanced }: Pick<Reply, 'enhanced'>): boolean {
  return OF_ADDRESS.test(enhanced ?? '');
}

/** At most 500 characters, none of them halved. */
export function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : [...text.slice(0, MAX_TEXT * 2)].slice(0, MAX_TEXT).join('');
}
