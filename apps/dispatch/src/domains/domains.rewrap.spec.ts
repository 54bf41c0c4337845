import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { SqlDatabase } from '@lettermill/storage';
import { KeyVault } from '../dkim/key.vault';
import { keySets, type KeySet, type SendingDomain } from './domain';
import { DomainsRewrap } from './domains.rewrap';
import { LibsqlDomainStore } from './domains.store.libsql';

const [OLD, NEW, OTHER] = ['o', 'n', 'x'].map((letter) => letter.repeat(32)) as [string, string, string];
const PRIVATE = Buffer.from('private');

function domainOf(accountId: string, domain: string, secret: string): SendingDomain {
  const set = (selector: string): KeySet => ({
    selector,
    createdAt: 1,
    verifiedAt: 1,
    keys: [selector, `${selector}-ed`].map((name, i) => ({
      algorithm: i === 0 ? 'rsa-sha256' : 'ed25519-sha256',
      selector: name,
      publicKey: 'AAAA',
      seen: 'found',
      wrapped: new KeyVault(secret).wrap(PRIVATE, [accountId, domain, name]),
    })),
  });
  const retired = { ...set('s0'), keys: set('s0').keys.map((key) => ({ ...key, wrapped: null })) };
  return {
    accountId,
    domain,
    revision: 7,
    sign: 'verified',
    require: false,
    current: set('s1'),
    next: set('s2'),
    retired,
    createdAt: 1,
    updatedAt: 1,
    checkedAt: 1,
  };
}

describe('DomainsRewrap', () => {
  let directory: string;
  let database: SqlDatabase;
  let store: LibsqlDomainStore;
  const domains = () => store.page(1_000, null);
  const sweeper = (secret = NEW, former = [OLD]) => new DomainsRewrap(store, new KeyVault(secret, former), () => 0);
  /** How many of the private keys can be unwrapped by a vault that knows only this secret. */
  const openedBy = async (secret: string) => {
    const vault = new KeyVault(secret);
    const keys = (await domains()).flatMap((one) =>
      keySets(one).flatMap((set) => set.keys.map((key) => ({ ...one, ...key }))),
    );
    return keys.filter((key) => key.wrapped && vault.unwrap(key.wrapped, [key.accountId, key.domain, key.selector]))
      .length;
  };

  beforeEach(async () => {
    Logger.overrideLogger(false);
    directory = mkdtempSync(join(tmpdir(), 'domains-rewrap-'));
    database = new SqlDatabase(join(directory, 'one.db'));
    store = new LibsqlDomainStore(database);
    await store.migrate();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await database.close();
    rmSync(directory, { recursive: true });
  });

  it('rewraps all keys of all accounts with the current secret, and changes nothing else', async () => {
    for (let i = 0; i < 60; i += 1) await store.put(domainOf(`a${i % 3}`, `n${i}.example`, OLD), null);
    const before = await domains();
    expect(await openedBy(OLD)).toBe(240);
    await sweeper().sweep();
    expect([await openedBy(NEW), await openedBy(OLD)]).toEqual([240, 0]);
    const bare = (all: SendingDomain[]) => JSON.stringify(all).replace(/"wrapped":"[^"]+"/g, '"wrapped":""');
    expect(bare(await domains())).toBe(bare(before));
  });

  it('waits for an hour, when no replica that knows only the former secret is left', async () => {
    jest.useFakeTimers();
    const page = jest.spyOn(store, 'page').mockResolvedValue([]);
    const one = sweeper();
    one.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(3_600_000 - 1);
    expect(page).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1);
    expect(page).toHaveBeenCalledTimes(1);
    one.beforeApplicationShutdown();
    jest.useRealTimers();
  });

  it('leaves keys alone that are wrapped with the current secret or cannot be unwrapped', async () => {
    for (const secret of [NEW, OTHER]) await store.put(domainOf('a', `${secret.slice(0, 1)}.example`, secret), null);
    const before = await domains();
    await sweeper().sweep();
    expect(await domains()).toEqual(before);
  });

  it('reads nothing if there is no former secret, or once all keys are rewrapped', async () => {
    await store.put(domainOf('a', 'one.example', OLD), null);
    const page = jest.spyOn(store, 'page');
    await sweeper(NEW, [NEW]).sweep();
    expect(page).not.toHaveBeenCalled();
    const one = sweeper();
    for (let hour = 0; hour < 2; hour += 1) await one.sweep();
    const asked = page.mock.calls.length;
    await one.sweep();
    expect(page).toHaveBeenCalledTimes(asked);
  });

  it('finds keys again that a change, read before they were rewrapped, has stored as they were', async () => {
    const log = jest.spyOn(Logger.prototype, 'log').mockReturnValue(undefined);
    const saysDone = () => log.mock.calls.some(([text]) => /can be removed/.test(String(text)));
    const made = domainOf('a', 'one.example', OLD);
    await store.put(made, null);
    const one = sweeper();
    await one.sweep();
    expect(await store.put({ ...made, revision: 8 }, made.revision)).toBe(true);
    expect([await openedBy(OLD), saysDone()]).toEqual([4, false]);
    await one.sweep();
    expect([await openedBy(OLD), saysDone()]).toEqual([0, false]);
    await one.sweep();
    expect(saysDone()).toBe(true);
  });

  it('does not overwrite a concurrent change, and retries the domain later', async () => {
    const made = domainOf('a', 'one.example', OLD);
    await store.put(made, null);
    const changed = { ...made, revision: 8, require: true };
    const put = store.put.bind(store);
    jest.spyOn(store, 'put').mockImplementationOnce(async (domain, before) => {
      await put(changed, 7);
      return put(domain, before);
    });
    const one = sweeper();
    await one.sweep();
    expect(await domains()).toEqual([changed]);
    await one.sweep();
    expect(await domains()).toMatchObject([{ revision: 8, require: true }]);
    expect([await openedBy(NEW), await openedBy(OLD)]).toEqual([4, 0]);
  });

  it('works in two replicas at once', async () => {
    for (let i = 0; i < 5; i += 1) await store.put(domainOf('a', `n${i}.example`, OLD), null);
    await Promise.all([sweeper().sweep(), sweeper().sweep()]);
    expect([await openedBy(NEW), await openedBy(OLD)]).toEqual([20, 0]);
  });
});
