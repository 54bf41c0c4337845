import * as mimeFuncs from 'nodemailer/lib/mime-funcs';

/** What the transport and the mail itself own (design 4.10): never taken from custom headers. */
const OWNED = new Set([
  'from',
  'to',
  'cc',
  'bcc',
  'subject',
  'reply-to',
  'in-reply-to',
  'mime-version',
  'date',
  'message-id',
  'return-path',
  'received',
  'sender',
  'dkim-signature',
]);
const FIELD_NAME = /^[!-9;-~]{1,126}$/;
/** A run without a blank that is longer than this can't be folded into lines of 998 (RFC 5322 section 2.1.1). */
const UNFOLDABLE = /[^ \t]{800}/;

export interface HeaderLine {
  key: string;
  value: string | { prepared: true; foldLines: true; value: string };
}

/** Custom headers in their order, without those that are not theirs to set. */
export function customHeaders(headers: readonly (readonly [string, string])[]): HeaderLine[] {
  return headers
    .filter(([name]) => {
      const lower = name.toLowerCase();
      return FIELD_NAME.test(name) && !OWNED.has(lower) && !/^(content-|arc-)/.test(lower);
    })
    .map(([key, value]) => ({ key, value: UNFOLDABLE.test(value) ? encoded(value) : value }));
}

function encoded(value: string): HeaderLine['value'] {
  return { prepared: true, foldLines: true, value: mimeFuncs.encodeWord(value, 'B', 52) };
}

/** Gives header names back the letters that they came with: nodemailer writes them its own way. */
export function spelling(headers: readonly (readonly [string, string])[]): (key: string) => string {
  const given = new Map(headers.map(([name]) => [name.toLowerCase(), name]));
  return (key) => (OWNED.has(key.toLowerCase()) ? key : (given.get(key.toLowerCase()) ?? key));
}
