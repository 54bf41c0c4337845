import type { DomainKey, RecordStatus } from './domain';

/** The record to be published for a key. */
export interface DkimRecord {
  name: string;
  value: string;
  /** The value split into strings of at most 255 octets, of which a TXT record consists. */
  strings: string[];
  /** A line of a zone file. */
  zone: string;
}

/** What DNS has at a name: the TXT records, or why there are none. */
export type LookupResult = string[] | 'missing' | 'unreachable';

const MAX_STRING_OCTETS = 255;
const TTL = 3600;
const KEY_TYPES = { 'rsa-sha256': 'rsa', 'ed25519-sha256': 'ed25519' } as const;

export function dkimRecord(domain: string, { selector, algorithm, publicKey }: DomainKey): DkimRecord {
  const name = `${selector}._domainkey.${domain}`;
  const value = `v=DKIM1; k=${KEY_TYPES[algorithm]}; p=${publicKey}`;
  const strings = value.match(new RegExp(`.{1,${MAX_STRING_OCTETS}}`, 'g'))!;
  const quoted = strings.map((text) => `"${text}"`).join(' ');
  return { name, value, strings, zone: `${name}. ${TTL} IN TXT ( ${quoted} )` };
}

/** Whether a signature by the key can be verified with what DNS has (RFC 6376 section 3.6.1). With more than one record, none can. */
export function recordStatusOf({ algorithm, publicKey }: DomainKey, found: LookupResult): RecordStatus {
  if (typeof found === 'string') return found;
  if (found.length === 0) return 'missing';
  const tags = found.length === 1 ? tagsOf(found[0]!) : undefined;
  if (!tags) return 'differs';
  const lists = (name: string, word: string) => {
    const words = tags
      .get(name)
      ?.split(':')
      .map((one) => one.trim());
    return words === undefined || words.includes('*') || words.includes(word);
  };
  const fits =
    (tags.get('v') ?? 'DKIM1') === 'DKIM1' &&
    (tags.get('k') ?? 'rsa') === KEY_TYPES[algorithm] &&
    tags.get('p')?.replace(/\s/g, '') === publicKey &&
    lists('h', 'sha256') &&
    lists('s', 'email');
  return fits ? 'found' : 'differs';
}

/** Reads a tag-list (section 3.2); undefined if it is invalid or names a tag twice. */
function tagsOf(text: string): Map<string, string> | undefined {
  const tags = new Map<string, string>();
  const parts = text.split(';');
  if (parts.at(-1)!.trim() === '') parts.pop();
  for (const part of parts) {
    const [, name, value] = /^\s*([A-Za-z][A-Za-z0-9_]*)\s*=([^]*)$/.exec(part) ?? [];
    if (name === undefined || tags.has(name)) return undefined;
    // The version must come first, if at all.
    if (name === 'v' && tags.size > 0) return undefined;
    tags.set(name, value!.trim());
  }
  return tags;
}
