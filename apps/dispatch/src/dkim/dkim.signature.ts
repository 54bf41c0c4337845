import { createHash } from 'node:crypto';

export type DkimAlgorithm = 'rsa-sha256' | 'ed25519-sha256';

/** Everything that a DKIM-Signature field states, except the signature itself. */
export interface SignatureTerms {
  algorithm: DkimAlgorithm;
  /** A-labels. */
  domain: string;
  selector: string;
  /** Seconds since the epoch. */
  time: number;
  /** For `h=`. */
  names: readonly string[];
  bodyHash: Buffer;
}

const LINE_WIDTH = 76;
const FOLD = '\r\n ';

/** Joins tokens, each with the blank before it; where the line would become too long, it is folded instead. */
function folded(begin: string, tokens: readonly (readonly [blank: string, token: string])[]): string {
  let text = begin;
  let column = begin.length;
  for (const [blank, token] of tokens) {
    const fits = column + blank.length + token.length <= LINE_WIDTH;
    text += (fits ? blank : FOLD) + token;
    column = (fits ? column + blank.length : 1) + token.length;
  }
  return text;
}

/** A DKIM-Signature field (RFC 6376 section 3.5) whose `b=` is still empty, without its line end. */
export function unsignedField({ algorithm, domain, selector, time, names, bodyHash }: SignatureTerms): string {
  const tags = ['v=1;', `a=${algorithm};`, 'c=relaxed/relaxed;', `d=${domain};`, `s=${selector};`, `t=${time};`];
  const list = names.map((name, index) => {
    const end = index === names.length - 1 ? ';' : ':';
    return index === 0 ? ([' ', `h=${name}${end}`] as const) : (['', `${name}${end}`] as const);
  });
  const all = [
    ...tags.map((tag) => [' ', tag] as const),
    ...list,
    [' ', `bh=${bodyHash.toString('base64')};`] as const,
  ];
  return `${folded('DKIM-Signature:', all)}${FOLD}b=`;
}

/** The field with its signature and its line end. */
export function signedField(unsigned: string, signature: Buffer): string {
  const lines = signature.toString('base64').match(/.{1,72}/g) ?? [];
  return `${unsigned}${lines.join(FOLD)}\r\n`;
}

/** What the key of an algorithm signs, and with which hash of its own. Ed25519 signs the hash (RFC 8463 section 3). */
export function signedData(algorithm: DkimAlgorithm, header: Buffer): { hash: 'sha256' | null; data: Buffer } {
  if (algorithm === 'rsa-sha256') return { hash: 'sha256', data: header };
  return { hash: null, data: createHash('sha256').update(header).digest() };
}
