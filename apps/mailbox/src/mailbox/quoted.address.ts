const QUOTED_ADDRESS =
  /^([^:]{1,20}:\s{0,9}<)("(?:[\x20\x21\x23-\x5b\x5d-\x7e\u0080-\uffff]|\\[\x20-\x7e])*")(@[^<>"\s]*>.*)$/;

/** Placeholder for a quoted local part. */
export const PLACEHOLDER = 'quoted';

/**
 * Takes a quoted local part (RFC 5321, 4.1.2) out of a MAIL or RCPT command; `rest` is the command with a plain one in its place. Undefined
 * if there is none.
 */
export function replaceQuotedLocalPart(command: string): { localPart: string; rest: string } | undefined {
  const [, before, localPart, after] = QUOTED_ADDRESS.exec(command) ?? [];
  return localPart === undefined ? undefined : { localPart, rest: before! + PLACEHOLDER + after! };
}
