import type { DkimAlgorithm } from '../dkim/dkim.signature';

/** What DNS last had at the name of a key. */
export type RecordStatus = 'unchecked' | 'found' | 'missing' | 'differs' | 'unreachable';

/** A key of a domain. Its private half is wrapped, and deleted once the key is retired. */
export interface DomainKey {
  algorithm: DkimAlgorithm;
  selector: string;
  /** As published in DNS: base64. */
  publicKey: string;
  wrapped: string | null;
  seen: RecordStatus;
}

/** Keys that sign together. */
export interface KeySet {
  selector: string;
  keys: DomainKey[];
  createdAt: number;
  /** When all of its records were first found. */
  verifiedAt: number | null;
}

/** A domain whose mails an account signs. Times are milliseconds since the epoch. */
export interface SendingDomain {
  accountId: string;
  /** A-labels, in lower case. */
  domain: string;
  /** Different after each change and always higher, even if the domain is deleted and made again. */
  revision: number;
  sign: 'verified' | 'always';
  /** Mails that cannot be signed wait. */
  require: boolean;
  current: KeySet;
  /** Replaces `current` once it is verified. */
  next: KeySet | null;
  /** Signed earlier; its records are still needed for mails on their way. */
  retired: KeySet | null;
  createdAt: number;
  updatedAt: number;
  checkedAt: number | null;
}

/** The keys that sign, if any. */
export function signingSet({ current, sign }: SendingDomain): KeySet | undefined {
  return current.verifiedAt !== null || sign === 'always' ? current : undefined;
}

/** The domain with its private keys passed through `wrap`; the same object if nothing changed. */
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
  const after = withSets(domain, anew);
  return changed ? after : domain;
}

/** The domain with each of its sets replaced. */
export function withSets(domain: SendingDomain, replace: (set: KeySet) => KeySet): SendingDomain {
  const { current, next, retired } = domain;
  return { ...domain, current: replace(current), next: next && replace(next), retired: retired && replace(retired) };
}

export function keySets({ current, next, retired }: SendingDomain): KeySet[] {
  return [current, next, retired].filter((set) => set !== null);
}
