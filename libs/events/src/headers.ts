/** The contract's restricted headers, and those that belong to the transport or to the mail itself (docs/send.md, rule 10). */
const RESERVED_HEADERS = new Set([
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
const RESERVED_PREFIX = /^(?:content|arc)-/;

/** Whether a custom header of this name, in lower case, is ignored. */
export function isReservedHeader(name: string): boolean {
  return RESERVED_HEADERS.has(name) || RESERVED_PREFIX.test(name);
}
