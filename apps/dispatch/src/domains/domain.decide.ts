import type { DomainSetup } from '@lettermill/contract';
import type { Fault } from '@lettermill/problems';
import { fingerprint } from '../dkim/dkim.key';
import { keySets, type KeySet, type RecordStatus, type SendingDomain } from './domain';

/** What a PUT comes to: its keys stay, or new ones are made in this place. */
export type Demand = { faults: Fault[] } | { keys: 'stay' } | { keys: 'new'; as: 'current' | 'next' };

/** The Ed25519 key of a set is beside the RSA key. */
export const ED25519_SUFFIX = '-ed';

const STAY = { keys: 'stay' } as const;

/**
 * Whether a PUT asks for new keys. Asked again, it asks for nothing more: a selector or key that the domain has is no new one, and while new keys
 * wait to be verified, `rotate` is content with them. `given`: public half of the key that came with it.
 */
export function decideKeys(existing: SendingDomain | undefined, setup: DomainSetup, given: string | undefined): Demand {
  if (!existing) return { keys: 'new', as: 'current' };
  const { selector } = setup;
  const known = keySets(existing).find((set) => set.selector === selector);
  const has = (set: KeySet, publicKey: string) => set.keys.some((key) => key.publicKey === publicKey);
  if (known && ((given !== undefined && !has(known, given)) || known === existing.retired)) return taken(known);
  if (known) return STAY;
  const inUse = [existing.current, existing.next].some((set) => set !== null && given !== undefined && has(set, given));
  if (selector === undefined && inUse) return STAY;
  if (selector === undefined && given === undefined && (!setup.rotate || existing.next)) return STAY;
  const signs = existing.current.verifiedAt !== null || existing.sign === 'always';
  return { keys: 'new', as: signs ? 'next' : 'current' };
}

function taken({ selector }: KeySet): Demand {
  const detail = `«${selector}» belongs to another key of the domain, of now or before.`;
  return { faults: [{ pointer: '/selector', code: 'selector_taken', detail }] };
}

/** A selector that tells the day and belongs to no other key. */
export function madeSelector(publicKey: string, now: number): string {
  return `lm${new Date(now).toISOString().slice(0, 10).replaceAll('-', '')}-${fingerprint(publicKey).slice(0, 6)}`;
}

/** The domain after a PUT; the same object where nothing changed. */
export function settled(
  existing: SendingDomain,
  setup: DomainSetup,
  made: KeySet | undefined,
  now: number,
): SendingDomain {
  const { sign = existing.sign, require = existing.require } = setup;
  const signs = existing.current.verifiedAt !== null || existing.sign === 'always';
  if (!made && sign === existing.sign && require === existing.require) return existing;
  const place = made && (signs ? { next: made } : { current: made, next: null });
  return { ...existing, sign, require, ...place, updatedAt: now };
}

/** The domain after its records were looked up; `statuses` by selector. What was verified once stays so. */
export function looked(domain: SendingDomain, statuses: ReadonlyMap<string, RecordStatus>, now: number): SendingDomain {
  const see = (set: KeySet): KeySet => {
    const keys = set.keys.map((key) => ({ ...key, seen: statuses.get(key.selector) ?? key.seen }));
    const all = keys.every(({ seen }) => seen === 'found');
    return { ...set, keys, verifiedAt: set.verifiedAt ?? (all ? now : null) };
  };
  const [current, next, retired] = [domain.current, domain.next, domain.retired].map((set) => set && see(set));
  const seen = { ...domain, current: current!, next: next ?? null, retired: retired ?? null, checkedAt: now };
  if (!next || next.verifiedAt === null) return seen;
  return { ...seen, current: next, next: null, retired: withoutPrivateKeys(current!), updatedAt: now };
}

function withoutPrivateKeys(set: KeySet): KeySet {
  return { ...set, keys: set.keys.map((key) => ({ ...key, wrapped: null })) };
}
