import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqlDatabase } from '@lettermill/storage';
import type { SigningKeys } from './signing.keys';
import type { DnsLookup } from './dns.lookup';
import type { KeySet } from './domain';
import { Domains } from './domains';
import { LibsqlDomainStore } from './domains.store.libsql';
import type { KeySets } from './key.sets';

const ref = { accountId: 'a', domain: 'example.com' };

describe('Domains', () => {
  const directory = mkdtempSync(join(tmpdir(), 'domains-'));
  const database = new SqlDatabase(join(directory, 'one.db'));
  const store = new LibsqlDomainStore(database);
  const forgotten: string[] = [];
  let keysMade = 0;
  let now = 0;
  /** What another call does while this one is in progress. */
  let meanwhile: (() => Promise<unknown>) | undefined;

  const keys = {
    make: () => {
      keysMade += 1;
      const key = {
        algorithm: 'rsa-sha256',
        selector: `s${keysMade}`,
        publicKey: 'AAAA',
        wrapped: 'w',
        seen: 'unchecked',
      };
      return Promise.resolve({ selector: key.selector, keys: [key], createdAt: now, verifiedAt: null } as KeySet);
    },
  } as unknown as KeySets;
  const dns = {
    txt: async () => {
      await runMeanwhile();
      return new Map();
    },
  } as unknown as DnsLookup;
  const signing = { forget: (account: string) => void forgotten.push(account) } as unknown as SigningKeys;
  const domains = new Domains(store, keys, dns, signing, () => now);

  async function runMeanwhile(): Promise<void> {
    const other = meanwhile;
    meanwhile = undefined;
    await other?.();
  }

  beforeAll(() => store.migrate());
  beforeEach(async () => {
    keysMade = 0;
    now = 1_000;
    await store.remove(ref);
    forgotten.length = 0;
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(async () => {
    await database.close();
    rmSync(directory, { recursive: true });
  });

  it('creates one domain for two calls at once, and both return its keys', async () => {
    const [one, other] = await Promise.all([domains.put(ref, {}), domains.put(ref, {})]);
    expect([one.created, other.created].sort()).toEqual([false, true]);
    expect(other.domain).toEqual(one.domain);
    expect(await domains.get(ref)).toEqual(one.domain);
  });

  it('keeps a concurrent change of another call', async () => {
    await domains.put(ref, {});
    const find = store.find.bind(store);
    jest.spyOn(store, 'find').mockImplementation(async (refs) => {
      const found = await find(refs);
      await runMeanwhile();
      return found;
    });
    meanwhile = () => domains.put(ref, { sign: 'always' });
    await domains.put(ref, { require: true });
    meanwhile = () => domains.put(ref, { require: false });
    await domains.verify(ref);
    expect(await domains.get(ref)).toMatchObject({ sign: 'always', require: false, checkedAt: now });
  });

  it('increases the revision whatever the clock says, and changes nothing if a call is repeated', async () => {
    const { domain: first } = await domains.put(ref, {});
    now = 10;
    const { domain: second } = await domains.put(ref, { require: true });
    expect(second).toMatchObject({ revision: first.revision + 1, current: first.current });
    expect(await domains.put(ref, { require: true })).toEqual({ created: false, domain: second });
    expect(forgotten).toEqual(['a', 'a']);
  });

  it('limits an account to a thousand domains, which can still be changed', async () => {
    await domains.put(ref, {});
    jest.spyOn(store, 'count').mockResolvedValue(1_000);
    await expect(domains.put({ ...ref, domain: 'other.example' }, {})).rejects.toMatchObject({
      code: 'validation_failed',
    });
    expect((await domains.put(ref, { require: true })).domain.require).toBe(true);
  });
});
