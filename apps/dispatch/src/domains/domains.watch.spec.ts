import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqlDatabase } from '@lettermill/storage';
import type { SigningKeys } from './signing.keys';
import type { DnsLookup } from './dns.lookup';
import type { SendingDomain } from './domain';
import { dkimRecord, type LookupResult } from './domain.records';
import { LibsqlDomainStore } from './domains.store.libsql';
import { DomainsWatch } from './domains.watch';

const HOUR = 3_600_000;
const key = { algorithm: 'rsa-sha256', selector: 's1', publicKey: 'AAAA', wrapped: 'w', seen: 'unchecked' } as const;
const domainOf = (domain: string): SendingDomain => ({
  accountId: `of ${domain}`,
  domain,
  revision: 1,
  sign: 'verified',
  require: false,
  current: { selector: 's1', keys: [key], createdAt: 0, verifiedAt: null },
  next: null,
  retired: null,
  createdAt: 0,
  updatedAt: 0,
  checkedAt: null,
});

describe('DomainsWatch', () => {
  const directory = mkdtempSync(join(tmpdir(), 'domains-watch-'));
  const database = new SqlDatabase(join(directory, 'one.db'));
  const store = new LibsqlDomainStore(database);
  const records = new Map<string, LookupResult>();
  const forgotten: string[] = [];
  let lookedUp: string[][] = [];
  let now = 0;
  let meanwhile = () => Promise.resolve();

  const dns = {
    txt: async (names: readonly string[]) => {
      lookedUp.push([...names]);
      await meanwhile();
      return new Map(names.map((name) => [name, records.get(name) ?? 'missing']));
    },
  } as DnsLookup;
  const signing = { forget: (account: string) => void forgotten.push(account) } as unknown as SigningKeys;
  const watch = () => new DomainsWatch(store, dns, signing, () => now);
  const found = async (domain: string) => (await store.find([{ accountId: `of ${domain}`, domain }]))[0]!;
  const publish = (domain: string) => records.set(dkimRecord(domain, key).name, [dkimRecord(domain, key).value]);

  beforeAll(() => store.migrate());
  beforeEach(async () => {
    lookedUp = [];
    records.clear();
    forgotten.length = 0;
    meanwhile = () => Promise.resolve();
    now = HOUR;
    for (const domain of await store.due(Number.MAX_SAFE_INTEGER, 1_000)) await store.remove(domain);
  });
  afterAll(async () => {
    await database.close();
    rmSync(directory, { recursive: true });
  });

  it('verifies domains with published records, and looks the others up again later', async () => {
    for (const name of ['a.example', 'b.example']) await store.put(domainOf(name), null);
    publish('a.example');
    await watch().sweep();
    expect(await found('a.example')).toMatchObject({ current: { verifiedAt: HOUR }, checkedAt: HOUR });
    expect(await found('b.example')).toMatchObject({ current: { verifiedAt: null, keys: [{ seen: 'missing' }] } });
    expect(forgotten.sort()).toEqual(['of a.example', 'of b.example']);
    await watch().sweep();
    expect(lookedUp).toHaveLength(1);
    publish('b.example');
    now = 2 * HOUR;
    await watch().sweep();
    expect(lookedUp[1]).toEqual(['s1._domainkey.b.example']);
    expect((await found('b.example')).current.verifiedAt).toBe(2 * HOUR);
  });

  it('looks up all due domains in batches', async () => {
    for (let i = 0; i < 25; i += 1) await store.put(domainOf(`n${i}.example`), null);
    await watch().sweep();
    expect(lookedUp.map((names) => names.length)).toEqual([10, 10, 5]);
    expect(new Set(lookedUp.flat()).size).toBe(25);
  });

  const putUnreachable = async (many: number) => {
    for (let i = 0; i < many; i += 1) {
      await store.put(domainOf(`n${i}.example`), null);
      records.set(`s1._domainkey.n${i}.example`, 'unreachable');
    }
  };

  it('goes on behind domains whose servers do not answer', async () => {
    await putUnreachable(25);
    await store.put(domainOf('zz.example'), null);
    publish('zz.example');
    await watch().sweep();
    expect(await found('zz.example')).toMatchObject({ current: { verifiedAt: HOUR } });
  });

  it('stops a sweep early if so many do not answer that DNS must be unreachable', async () => {
    await putUnreachable(1_020);
    const watching = watch();
    await watching.sweep();
    expect(lookedUp).toHaveLength(100);
    // Domains that were looked up are now behind the others.
    await watching.sweep();
    expect(new Set(lookedUp.flat()).size).toBe(1_020);
  });

  it('does not overwrite a change or removal during the DNS lookup', async () => {
    for (const name of ['changed.example', 'removed.example']) {
      await store.put(domainOf(name), null);
      publish(name);
    }
    meanwhile = async () => {
      await store.put({ ...domainOf('changed.example'), revision: 2, require: true }, 1);
      await store.remove(domainOf('removed.example'));
    };
    await watch().sweep();
    expect(await found('changed.example')).toMatchObject({ require: true, current: { verifiedAt: null } });
    expect(await found('removed.example')).toBeUndefined();
    expect(forgotten).toEqual([]);
  });

  it('works in two replicas at once', async () => {
    await store.put(domainOf('twice.example'), null);
    publish('twice.example');
    await Promise.all([watch().sweep(), watch().sweep()]);
    expect(await found('twice.example')).toMatchObject({ current: { verifiedAt: HOUR } });
    expect(forgotten).toEqual(['of twice.example']);
  });
});
