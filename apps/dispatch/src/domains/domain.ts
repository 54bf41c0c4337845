import type { DkimAlgorithm } from '../dkim/dkim.signature';

/** What DNS last had at the name of a key. */
export type RecordStatus = 'unchecked' | 'found' | 'missing' | 'differs' | 'unreachable';

/** A key of a domain. Its private half is wrapped, and gone once the key is retired. */
export interface DomainKey {
  algorithm: DkimAlgorithm;
  selector: string;
  /** As DNS tells it: base64. */
  publicKey: string;
  wrapped: string | null;
  seen: RecordStatus;
}

/** Keys that sign together. */
export interface KeySet {
  selector: string;
  keys: DomainKey[];
  createdAt: number;
  /** When all of its records were found, the first time. */
  verifiedAt: number | null;
}

/** A domain whose mails an account signs. Times are milliseconds since the epoch. */
export interface SendingDomain {
  accountId: string;
  /** A-labels, in lower case. */
  domain: string;
  /** Another one with each change, in rising order, also over deletions. */
  revision: number;
  sign: 'verified' | 'always';
  /** Mails that can not be signed wait. */
  require: boolean;
  current: KeySet;
  /** Takes the place of `current` once it is verified. */
  next: KeySet | null;
  /** Signed before; its records are still needed for mails under way. */
  retired: KeySet | null;
  createdAt: number;
  updatedAt: number;
  checkedAt: number | null;
}

/** The keys that sign, if any. */
export function signingSet({ current, sign }: SendingDomain): KeySet | undefined {
  return current.verifiedAt !== null || sign === 'always' ? current : undefined;
}

/** The domain with its private keys as `wrap` leaves them; the same object where nothing changed. */
export function rewrapped(domain: SendingDomain, wrap: (wrapped: string, selector: string) => string): SendingDomain {
  let changed = false;
  const anew = (set: KeySet): KeySet => {
    const keys = set.keys.map((key) => {
      const wrapped = key.wrapped && wrap(key.wrapped, key.selector);
      changed ||= wrapped !== key.wrapped;
      return { ...key, wrapped };
    });
    return { ...set, keys };
  };
  const [current, next, retired] = [domain.current, domain.next, domain.retired].map((set) => set && anew(set));
  return changed ? { ...domain, current: current!, next: next ?? null, retired: retired ?? null } : domain;
}

export function keySets({ current, next, retired }: SendingDomain): KeySet[] {
  return [current, next, retired].filter((set) => set !== null);
}
