/** A header field in its relaxed form (RFC 6376 section 3.4.2), one character per byte. */
export interface RelaxedField {
  /** In lower case. */
  name: string;
  /** `name:value`, without a line end. */
  text: string;
}

/**
 * Fields whose addition or change would make it a different mail. Each is signed once more than it occurs, so that one added on the way
 * breaks the signature (RFC 6376 section 8.15).
 */
const OVERSIGNED_FIELDS = [
  'from',
  'to',
  'cc',
  'subject',
  'date',
  'reply-to',
  'message-id',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
];
/** Signed if present; RFC 8058 section 4 demands this for the two that unsubscribe, RFC 9477 section 3 for those that begin with CFBL. */
const SIGNED_FIELDS = [
  'list-unsubscribe',
  'list-unsubscribe-post',
  'list-id',
  'in-reply-to',
  'references',
  'feedback-id',
  'cfbl-address',
  'cfbl-feedback-id',
  'content-disposition',
  'content-id',
];

/** The relaxed form of one field as it stands in a mail, including folds. Pass it as latin1, so that each byte is kept. */
export function relaxedField(field: string): RelaxedField {
  const colon = field.indexOf(':');
  const name = field
    .slice(0, colon)
    .replace(/[\t ]+$/, '')
    .toLowerCase();
  const value = field
    .slice(colon + 1)
    .replace(/\r\n(?=[\t ])/g, '')
    .replace(/[\t ]+/g, ' ')
    .replace(/^ | $/g, '');
  return { name, text: `${name}:${value}` };
}

/** The fields of a header, each line ended by CRLF, in order. */
export function relaxedFields(head: string): RelaxedField[] {
  return head
    .split(/\r\n(?![\t ])/)
    .filter((field) => field !== '')
    .map(relaxedField);
}

/**
 * The signed part of a header: the names for `h=`, and the fields they stand for in signing order, from the last to the first of each name.
 */
export function signedPart(fields: readonly RelaxedField[]): { names: string[]; texts: string[] } {
  const byName = new Map<string, string[]>();
  for (const { name, text } of fields) byName.set(name, [text, ...(byName.get(name) ?? [])]);
  const names: string[] = [];
  const texts: string[] = [];
  const sign = (name: string, more: number) => {
    const found = byName.get(name) ?? [];
    names.push(...Array<string>(found.length + more).fill(name));
    texts.push(...found);
  };
  for (const name of OVERSIGNED_FIELDS) sign(name, 1);
  for (const name of SIGNED_FIELDS) sign(name, 0);
  return { names, texts };
}
