import { Details, strongest } from '@lettermill/events';

/** What a message consists of once all levels are laid over each other (docs/send.md 10). */
export interface MergedDetails extends Omit<Details, 'headers'> {
  headers: [name: string, value: string][];
}

/** The contract's restricted headers, and those that the transport owns: ignored wherever they are given. */
const OWNED = new Set([
  ...['from', 'to', 'cc', 'bcc', 'subject', 'reply-to', 'in-reply-to', 'content-type', 'mime-version'],
  ...['date', 'message-id', 'return-path', 'received', 'sender', 'dkim-signature'],
]);
const OWNED_FAMILY = /^(?:content|arc)-/;

/** `headers` are merged by name instead. */
const FIELDS = (Object.keys(Details.properties) as (keyof Details)[]).filter((field) => field !== 'headers');

function isOwned(name: string): boolean {
  return OWNED.has(name) || OWNED_FAMILY.test(name);
}

/**
 * Lays the levels over each other, the weakest first: campaign, request, recipient. Each field is the `strongest` level's, `cc` and `bcc`
 * whole; headers are merged by name without regard to case, where the spelling and the value of the strongest level hold and `null` takes
 * away what weaker ones gave.
 */
export function mergeDetails(levels: (Details | undefined)[]): MergedDetails {
  const fields = FIELDS.map((field) => [field, strongest(levels, field)] as const);
  const given = Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as Omit<Details, 'headers'>;
  return { ...given, headers: mergeHeaders(levels) };
}

function mergeHeaders(levels: (Details | undefined)[]): MergedDetails['headers'] {
  const headers = new Map<string, [string, string]>();
  for (const level of levels) {
    for (const [name, value] of Object.entries(level?.headers ?? {})) {
      const key = name.toLowerCase();
      if (value === null) headers.delete(key);
      else if (!isOwned(key)) headers.set(key, [name, value]);
    }
  }
  return [...headers.values()];
}
