import type { DomainKey, KeySet, RecordStatus, SendingDomain } from './domain';
import { dkimRecord, type LookupResult } from './domain.records';

interface RecordBody {
  /** Which set of keys it belongs to. */
  use: 'current' | 'next' | 'retired';
  selector: string;
  algorithm: string;
  type: 'TXT';
  name: string;
  value: string;
  strings: string[];
  zone: string;
  status: RecordStatus;
  /** What DNS has at that name; only in the answer to `verify`. */
  found?: string[];
}

export interface DomainBody {
  domain: string;
  status: 'pending' | 'verified';
  /** Whether its mails are signed now. */
  signing: boolean;
  sign: 'verified' | 'always';
  require: boolean;
  records: RecordBody[];
  created_at: string;
  updated_at: string;
  verified_at: string | null;
  checked_at: string | null;
}

/** Bounds what is shown of records that somebody else published. */
const MAX_FOUND_RECORDS = 5;
const MAX_FOUND_LENGTH = 1_000;

const instant = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

/** A domain as its account sees it; `lookups` by name if its records have just been looked up. */
export function domainBody(
  domain: SendingDomain,
  signing: boolean,
  lookups?: ReadonlyMap<string, LookupResult>,
): DomainBody {
  const { current, next, retired } = domain;
  const of = (use: RecordBody['use'], set: KeySet | null) =>
    set === null ? [] : set.keys.map((key) => recordBody(domain.domain, use, key, lookups));
  return {
    domain: domain.domain,
    status: current.verifiedAt === null ? 'pending' : 'verified',
    signing,
    sign: domain.sign,
    require: domain.require,
    records: [...of('current', current), ...of('next', next), ...of('retired', retired)],
    created_at: instant(domain.createdAt)!,
    updated_at: instant(domain.updatedAt)!,
    verified_at: instant(current.verifiedAt),
    checked_at: instant(domain.checkedAt),
  };
}

function recordBody(
  domain: string,
  use: RecordBody['use'],
  key: DomainKey,
  lookups?: ReadonlyMap<string, LookupResult>,
): RecordBody {
  const { name, ...record } = dkimRecord(domain, key);
  const { selector, algorithm, seen: status } = key;
  return { use, selector, algorithm, type: 'TXT', name, ...record, status, ...(lookups && foundOf(lookups.get(name))) };
}

function foundOf(lookup: LookupResult | undefined): { found: string[] } {
  const texts = Array.isArray(lookup) ? lookup : [];
  return { found: texts.slice(0, MAX_FOUND_RECORDS).map((text) => text.slice(0, MAX_FOUND_LENGTH)) };
}
