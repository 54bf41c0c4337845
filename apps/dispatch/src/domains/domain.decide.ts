import { DAY_MS } from '@lettermill/concurrency';
import type { DomainSetup } from '@lettermill/contract';
import type { Fault } from '@lettermill/problems';
import { fingerprint } from '../dkim/dkim.key';
import { keySets, signingSet, withSets, type KeySet, type RecordStatus, type SendingDomain } from './domain';
import { recordStatusOf, dkimRecord, type LookupResult } from './domain.records';

/** What a PUT leads to: the keys stay, or new ones are made and take this place. */
export type KeyDecision = { faults: Fault[] } | { keys: 'stay' } | { keys: 'new'; as: 'current' | 'next' };

/** Appended to the selector of a set's RSA key, this is the selector of its Ed25519 key. */
export const ED25519_SUFFIX = '-ed';

/** Time between two lookups of our own: an eighth of the time that the keys have waited, within these bounds. */
const MIN_LOOKUP_INTERVAL_MS = 50 * 60_000;
const MAX_LOOKUP_INTERVAL_MS = DAY_MS;
/** Keys that have waited longer than this are looked up only when somebody asks. */
const MAX_WAIT_MS = 30 * DAY_MS;

const STAY = { keys: 'stay' } as const;

/**
 * Whether a PUT asks for new keys. Repeating it asks for nothing more: a selector or key that the domain has is not new, and `rotate` makes
 * no further keys while new ones wait to be verified. `given`: public half of the key in the call.
 */
export function decideKeys(
  existing: SendingDomain | undefined,
  setup: DomainSetup,
  given: string | undefined,
): KeyDecision {
  if (!existing) return { keys: 'new', as: 'current' };
  const { selector } = setup;
  const known = keySets(existing).find((set) => set.selector === selector);
  const has = (set: KeySet, publicKey: string) => set.keys.some((key) => key.publicKey === publicKey);
  if (known && ((given !== undefined && !has(known, given)) || known === existing.retired)) return selectorTaken(known);
  if (known) return STAY;
  const clash = selector === undefined ? undefined : setSharingName(existing, selector);
  if (clash) return selectorTaken(clash);
  const inUse = [existing.current, existing.next].some((set) => set !== null && given !== undefined && has(set, given));
  if (selector === undefined && inUse) return STAY;
  if (selector === undefined && given === undefined && (!setup.rotate || existing.next)) return STAY;
  return { keys: 'new', as: signingSet(existing) ? 'next' : 'current' };
}

/** The set in which a key has a name in DNS that a key of that selector would have. */
function setSharingName(domain: SendingDomain, selector: string): KeySet | undefined {
  const names = [selector, `${selector}${ED25519_SUFFIX}`];
  return keySets(domain).find(({ keys }) => keys.some((key) => names.includes(key.selector)));
}

function selectorTaken({ selector }: KeySet): KeyDecision {
  const detail = `«${selector}» belongs to another key of the domain, current or former.`;
  return { faults: [{ pointer: '/selector', code: 'selector_taken', detail }] };
}

/**
 * A selector that contains the date and belongs to no other key of the domain. A key that was replaced and comes back on the same day would
 * get its former one, under which another Ed25519 key is published.
 */
export function makeSelector(publicKey: string, now: number, domain?: SendingDomain): string {
  const made = `lm${new Date(now).toISOString().slice(0, 10).replaceAll('-', '')}-${fingerprint(publicKey)}`;
  for (let count = 1; ; count += 1) {
    const selector = count === 1 ? made : `${made}-${count}`;
    if (!domain || !setSharingName(domain, selector)) return selector;
  }
}

/** The domain after a PUT; the same object if nothing changed. */
export function afterSetup(
  existing: SendingDomain,
  setup: DomainSetup,
  made: KeySet | undefined,
  now: number,
): SendingDomain {
  const { sign = existing.sign, require = existing.require } = setup;
  if (!made && sign === existing.sign && require === existing.require) return existing;
  const place = made && (signingSet(existing) ? { next: made } : { current: made, next: null });
  return { ...existing, sign, require, ...place, updatedAt: now };
}

/** The domain after its records were looked up; `statuses` by selector. Keys that were verified once stay verified. */
export function withStatuses(
  domain: SendingDomain,
  statuses: ReadonlyMap<string, RecordStatus>,
  now: number,
): SendingDomain {
  const see = (set: KeySet): KeySet => {
    const keys = set.keys.map((key) => ({ ...key, seen: statuses.get(key.selector) ?? key.seen }));
    const all = keys.every(({ seen }) => seen === 'found');
    return { ...set, keys, verifiedAt: set.verifiedAt ?? (all ? now : null) };
  };
  const seen = { ...withSets(domain, see), checkedAt: now };
  const { current, next } = seen;
  if (!next || next.verifiedAt === null) return seen;
  return { ...seen, current: next, next: null, retired: withoutPrivateKeys(current), updatedAt: now };
}

/** The names in DNS under which a domain's keys are published. */
export function recordNames(domain: SendingDomain): string[] {
  return keySets(domain).flatMap((set) => set.keys.map((key) => dkimRecord(domain.domain, key).name));
}

/** The domain, as it is to be stored, after DNS answered `found` for those names. */
export function afterLookup(
  domain: SendingDomain,
  found: ReadonlyMap<string, LookupResult>,
  now: number,
): SendingDomain {
  const keys = keySets(domain).flatMap((set) => set.keys);
  const statuses = keys.map(
    (key) =>
      [key.selector, recordStatusOf(key, found.get(dkimRecord(domain.domain, key).name) ?? 'unreachable')] as const,
  );
  return { ...withStatuses(domain, new Map(statuses), now), revision: nextRevision(domain, now) };
}

/** The clock's time if that is ahead, so that a domain that was deleted and made again has revisions that were never used. */
export function nextRevision({ revision }: SendingDomain, now: number): number {
  return Math.max(revision + 1, now);
}

/** The keys that wait for their records, if any. */
function awaitedKeys({ current, next, sign }: SendingDomain): KeySet | null {
  return next ?? (sign === 'verified' && current.verifiedAt === null ? current : null);
}

/** When keys that wait for their records are looked up without a call; null if none wait, or have waited too long. */
export function nextLookupAt(domain: SendingDomain): number | null {
  const waiting = awaitedKeys(domain);
  if (!waiting) return null;
  const last = Math.max(waiting.createdAt, domain.checkedAt ?? 0);
  const pause = Math.min(MAX_LOOKUP_INTERVAL_MS, Math.max(MIN_LOOKUP_INTERVAL_MS, (last - waiting.createdAt) / 8));
  const at = Math.round(last + pause);
  return at - waiting.createdAt > MAX_WAIT_MS ? null : at;
}

function withoutPrivateKeys(set: KeySet): KeySet {
  return { ...set, keys: set.keys.map((key) => ({ ...key, wrapped: null })) };
}
