import { Details, isReservedHeader, strongest } from '@lettermill/events';

/** The parts of a message after all levels have been merged (docs/send.md 10). */
export interface MergedDetails extends Omit<Details, 'headers'> {
  headers: [name: string, value: string][];
}

/** Fields other than `headers`, which are merged by name. */
const MERGED_FIELDS = (Object.keys(Details.properties) as (keyof Details)[]).filter((field) => field !== 'headers');

/**
 * Merges the levels, given from weakest to strongest: campaign, request, recipient. Each field is that of the `strongest` level that has
 * it, `cc` and `bcc` as whole lists. Headers are merged by name, ignoring case: the spelling and value of the strongest level win, and
 * `null` removes a header that weaker levels set.
 */
export function mergeDetails(levels: (Details | undefined)[]): MergedDetails {
  const fields = MERGED_FIELDS.map((field) => [field, strongest(levels, field)] as const);
  const given = Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as Omit<Details, 'headers'>;
  return { ...given, headers: mergeHeaders(levels) };
}

function mergeHeaders(levels: (Details | undefined)[]): MergedDetails['headers'] {
  const headers = new Map<string, [string, string]>();
  for (const level of levels) {
    for (const [name, value] of Object.entries(level?.headers ?? {})) {
      const key = name.toLowerCase();
      if (value === null) headers.delete(key);
      else if (!isReservedHeader(key)) headers.set(key, [name, value]);
    }
  }
  return [...headers.values()];
}
