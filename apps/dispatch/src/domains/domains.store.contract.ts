import type { KeySet, SendingDomain } from './domain';
import type { DomainStore } from './domains.store';

const set: KeySet = {
  selector: 's1',
  keys: [
    { algorithm: 'rsa-sha256', selector: 's1', publicKey: 'AAAA', wrapped: 'w', seen: 'found' },
    { algorithm: 'ed25519-sha256', selector: 's1-ed', publicKey: 'BBBB', wrapped: null, seen: 'unchecked' },
  ],
  createdAt: 1,
  verifiedAt: null,
};
export const domainOf = (domain: string, over: Partial<SendingDomain> = {}): SendingDomain => ({
  accountId: 'a',
  domain,
  revision: 1_800_000_000_000,
  sign: 'verified',
  require: false,
  current: set,
  next: null,
  retired: null,
  createdAt: 1,
  updatedAt: 2,
  checkedAt: null,
  ...over,
});

/** What every store of domains must do; `open` returns a fresh, migrated one. */
export function domainStoreContract(open: () => Promise<DomainStore>): void {
  let store: DomainStore;
  const one = domainOf('shop.example');
  beforeEach(async () => {
    store = await open();
  });

  it('handles empty lists and missing domains', async () => {
    expect(await store.find([])).toEqual([]);
    expect(await store.find([one])).toEqual([]);
    expect(await store.list('a', 10, '')).toEqual([]);
    expect(await store.count('a')).toBe(0);
    expect(await store.remove(one)).toBe(false);
    expect(await store.put({ ...one, revision: 2 }, 1)).toBe(false);
  });

  it('returns each domain unchanged, to its own account only', async () => {
    const theirs = domainOf('shop.example', { accountId: 'b', require: true, next: set, retired: set, checkedAt: 3 });
    expect(await store.put(one, null)).toBe(true);
    expect(await store.put(theirs, null)).toBe(true);
    expect(await store.find([one, { accountId: 'a', domain: 'other.example' }])).toEqual([one]);
    expect(await store.find([theirs])).toEqual([theirs]);
    expect(await store.list('b', 10, '')).toEqual([theirs]);
    expect([await store.count('a'), await store.count('c')]).toEqual([1, 0]);
  });

  it('changes a domain only if its revision is as expected', async () => {
    expect(await store.put(one, null)).toBe(true);
    expect(await store.put({ ...one, require: true }, null)).toBe(false);
    const later = { ...one, revision: one.revision + 1, require: true };
    expect(await store.put(later, one.revision - 1)).toBe(false);
    expect(await store.find([one])).toEqual([one]);
    expect(await store.put(later, one.revision)).toBe(true);
    expect(await store.put({ ...later, require: false }, one.revision)).toBe(false);
    expect(await store.find([one])).toEqual([later]);
  });

  it('lets one of several concurrent changes succeed', async () => {
    const tries = Array.from({ length: 8 }, (_, n) => ({ ...one, updatedAt: n }));
    const made = await Promise.all(tries.map((domain) => store.put(domain, null)));
    expect(made.filter(Boolean)).toHaveLength(1);
    const changes = tries.map((domain, n) => ({ ...domain, revision: one.revision + n + 1 }));
    const changed = await Promise.all(changes.map((domain) => store.put(domain, one.revision)));
    expect(changed.filter(Boolean)).toHaveLength(1);
    expect(await store.find([one])).toEqual([changes[changed.indexOf(true)]]);
  });

  it('returns the unverified domains due for a lookup, of all accounts, the longest due first', async () => {
    const hour = 3_600_000;
    const waits = (name: string, hours: number, accountId = 'a') =>
      domainOf(name, { accountId, current: { ...set, createdAt: hours * hour } });
    const [late, soon, other] = [waits('late.example', 9), waits('soon.example', 1), waits('other.example', 5, 'b')];
    const done = domainOf('done.example', { current: { ...set, verifiedAt: 2 } });
    for (const domain of [late, soon, other, done]) await store.put(domain, null);
    expect(await store.due(hour, 10)).toEqual([]);
    expect(await store.due(7 * hour, 10)).toEqual([soon, other]);
    expect(await store.due(20 * hour, 2)).toEqual([soon, other]);
    const verified = { ...soon, revision: soon.revision + 1, current: { ...soon.current, verifiedAt: 3 } };
    expect(await store.put(verified, soon.revision)).toBe(true);
    expect(await store.due(20 * hour, 10)).toEqual([other, late]);
    const again = { ...verified, revision: verified.revision + 1, next: waits('soon.example', 1).current };
    expect(await store.put(again, verified.revision)).toBe(true);
    expect(await store.due(20 * hour, 1)).toEqual([again]);
  });

  it('returns the domains of all accounts, each once, page by page', async () => {
    const names = ['a.example', 'b.example', 'xn--bcher-kva.example'];
    const all = ['a', 'a b', 'b'].flatMap((accountId) => names.map((name) => domainOf(name, { accountId })));
    for (const domain of [...all].reverse()) await store.put(domain, null);
    const seen: SendingDomain[] = [];
    for (let page = await store.page(4, null); page.length > 0; page = await store.page(4, page.at(-1)!)) {
      expect(page.length).toBeLessThanOrEqual(4);
      seen.push(...page);
    }
    const key = ({ accountId, domain }: SendingDomain) => `${accountId} ${domain}`;
    expect(seen.sort((a, b) => (key(a) < key(b) ? -1 : 1))).toEqual(all.sort((a, b) => (key(a) < key(b) ? -1 : 1)));
  });

  it('accepts a change that keeps the revision', async () => {
    await store.put(one, null);
    const same = { ...one, updatedAt: 9 };
    expect(await store.put(same, one.revision)).toBe(true);
    expect(await store.find([one])).toEqual([same]);
  });

  it('lists domains by name, page by page, and removes them', async () => {
    const all = ['a.example', 'b.example', 'xn--bcher-kva.example', 'z.example'].map((name) => domainOf(name));
    for (const domain of [...all].reverse()) await store.put(domain, null);
    expect(await store.list('a', 3, '')).toEqual(all.slice(0, 3));
    expect(await store.list('a', 3, 'xn--bcher-kva.example')).toEqual(all.slice(3));
    expect(await store.remove({ accountId: 'b', domain: 'a.example' })).toBe(false);
    expect(await store.remove(all[0]!)).toBe(true);
    expect(await store.remove(all[0]!)).toBe(false);
    expect(await store.count('a')).toBe(3);
    expect(await store.put(all[0]!, null)).toBe(true);
  });
}
