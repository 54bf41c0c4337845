import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Logger } from '@nestjs/common';
import { register } from 'prom-client';
import { KeyVault } from '../dkim/key.vault';
import { SigningFailed, SignedMails } from './signed.mails';
import { SigningKeys } from '../domains/signing.keys';
import type { Mail } from '@lettermill/events';
import { StoreFault, StoreUnavailable } from '@lettermill/storage';
import type { SendingDomain } from '../domains/domain';
import type { DomainRef, DomainStore } from '../domains/domains.store';
import { KeySets } from '../domains/key.sets';
import type { MailContents } from '../mime/mail.contents';
import { bytesOf } from '../testing/mail.bytes';
import { queued } from '../testing/dispatch.service';

const SECRET = 's'.repeat(32);
const CACHE_TTL_MS = 15_000;
const { mail } = queued(1, 'ada');
const contents = { load: (_account: string, one: Mail) => Promise.resolve(one) } as unknown as MailContents;

/** The number of mails by result. */
async function counts(): Promise<number[]> {
  const { values } = await register.getSingleMetric('lettermill_dkim_mails_total')!.get();
  return ['signed', 'unsigned', 'failed'].map(
    (result) => values.find(({ labels }) => labels.result === result)?.value ?? 0,
  );
}

/** Domains in memory; the store can be made to fail. */
class DomainShelf {
  readonly domains: SendingDomain[] = [];
  fault: Error | undefined;
  reads = 0;

  find(refs: readonly DomainRef[]): Promise<SendingDomain[]> {
    this.reads += 1;
    if (this.fault) return Promise.reject(this.fault);
    const asked = (one: SendingDomain) =>
      refs.some(({ accountId, domain }) => one.accountId === accountId && one.domain === domain);
    return Promise.resolve(this.domains.filter(asked));
  }
}

describe('outgoing mails', () => {
  let shelf: DomainShelf;
  let now = 0;
  let signingDomain: SendingDomain;

  const process = (secret = SECRET, former: string[] = []) => {
    const keys = new SigningKeys(shelf as unknown as DomainStore, new KeyVault(secret, former));
    return { keys, mails: new SignedMails(contents, keys) };
  };
  const composeText = async (mails: SignedMails, accountId = 'default', one = mail) =>
    bytesOf(await mails.compose(accountId, one))
      .toString()
      .startsWith('DKIM-Signature: ');

  beforeAll(async () => {
    Logger.overrideLogger(false);
    const ref = { accountId: 'default', domain: 'example.com' };
    const current = await new KeySets(new KeyVault(SECRET)).make(
      ref,
      { selector: undefined, existing: undefined, given: undefined, ed25519: true },
      1,
    );
    const set = { ...current, verifiedAt: 1 };
    signingDomain = {
      ...ref,
      revision: 1,
      sign: 'verified',
      require: false,
      current: set,
      next: null,
      retired: null,
      createdAt: 1,
      updatedAt: 1,
      checkedAt: 1,
    };
  });
  beforeEach(() => {
    now = 1_000_000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    shelf = new DomainShelf();
    shelf.domains.push(signingDomain);
  });
  afterEach(() => jest.restoreAllMocks());

  it('are signed for the account that has the domain, and for no other', async () => {
    const { mails } = process();
    expect(await composeText(mails)).toBe(true);
    expect(await composeText(mails, 'other')).toBe(false);
    expect(await composeText(mails, 'default', { ...mail, from: { email: 'a@example.org' } })).toBe(false);
  });

  it('are signed without reading the store each time; changes by other processes take effect soon', async () => {
    const { mails } = process();
    await Promise.all(Array.from({ length: 20 }, () => composeText(mails)));
    expect(shelf.reads).toBe(1);
    shelf.domains.pop();
    expect(await composeText(mails)).toBe(true);
    now += CACHE_TTL_MS + 1;
    expect(await composeText(mails)).toBe(false);
  });

  it('follow a change by this process at once, even during a read', async () => {
    const { mails, keys } = process();
    const reading = composeText(mails);
    shelf.domains.pop();
    keys.forget('default');
    await reading;
    expect(await composeText(mails)).toBe(false);
    // The same a second time.
    shelf.domains.push(signingDomain);
    keys.forget('default');
    expect(await composeText(mails)).toBe(true);
  });

  it('leave no keys in memory that were read before a change', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const { keys } = process();
    const read = async () => new WeakRef(await keys.of('default', mail.from.email));
    const before = await read();
    keys.forget('default');
    const after = await read();
    // What a WeakRef refers to stays until the turn ends in which it was made.
    await setImmediate();
    collect();
    expect(before.deref()).toBeUndefined();
    expect(after.deref()?.keys).toHaveLength(2);
  });

  it('are signed with known keys while the store is unavailable, and deferred if none are known', async () => {
    const { mails } = process();
    expect(await composeText(mails)).toBe(true);
    shelf.fault = new StoreUnavailable('away');
    for (let looks = 0; looks < 3; looks += 1) {
      now += CACHE_TTL_MS + 1;
      expect(await composeText(mails)).toBe(true);
    }
    const before = await counts();
    await expect(process().mails.compose('default', mail)).rejects.toMatchObject({ retryable: true });
    expect(await counts()).toEqual(before);
    shelf.fault = undefined;
    shelf.domains[0] = { ...signingDomain, revision: 2, current: { ...signingDomain.current, verifiedAt: null } };
    now += CACHE_TTL_MS + 1;
    expect(await composeText(mails)).toBe(false);
  });

  it('are deferred if it cannot be known whether they must be signed, which is counted', async () => {
    shelf.fault = new StoreFault('broken');
    const [, , failed] = await counts();
    await expect(process().mails.compose('default', mail)).rejects.toBeInstanceOf(SigningFailed);
    expect((await counts())[2]).toBe(failed! + 1);
  });

  it('go unsigned if the keys cannot be unwrapped, or are deferred if signing is required', async () => {
    const { mails } = process('t'.repeat(32));
    expect(await composeText(mails)).toBe(false);
    shelf.domains[0] = { ...signingDomain, revision: 2, require: true };
    now += CACHE_TTL_MS + 1;
    await expect(mails.compose('default', mail)).rejects.toBeInstanceOf(SigningFailed);
  });

  it('are signed with keys that a former secret unwraps', async () => {
    expect(await composeText(process('t'.repeat(32), [SECRET]).mails)).toBe(true);
  });

  it('are counted by signing result, and a key that cannot be unwrapped is named in an error', async () => {
    const errors: unknown[] = [];
    Logger.overrideLogger({ log: jest.fn(), warn: jest.fn(), error: (text: unknown) => errors.push(text) });
    const before = await counts();
    await composeText(process().mails);
    await composeText(process().mails, 'other');
    expect(errors).toEqual([]);
    await composeText(process('t'.repeat(32)).mails);
    Logger.overrideLogger(false);
    expect(await counts()).toEqual(before.map((count) => count + 1));
    expect(errors).toHaveLength(signingDomain.current.keys.length);
    expect(errors[0]).toContain(`${signingDomain.current.keys[0]!.selector}._domainkey.example.com`);
  });

  describe('from a subdomain of a signing domain', () => {
    const below = { ...mail, from: { email: 'a@news.example.com' } };
    const own = (): SendingDomain => ({ ...signingDomain, domain: 'news.example.com', require: true });

    it('are signed by the parent domain unless the subdomain has its own keys; changes by other processes take effect soon', async () => {
      const { mails } = process();
      expect(await composeText(mails, 'default', below)).toBe(true);
      // Wrapped for another domain, so the keys cannot be unwrapped.
      shelf.domains.splice(0, 1, own());
      now += CACHE_TTL_MS + 1;
      await expect(mails.compose('default', below)).rejects.toBeInstanceOf(SigningFailed);
      shelf.domains.splice(0, 1, signingDomain);
      now += CACHE_TTL_MS + 1;
      expect(await composeText(mails, 'default', below)).toBe(true);
    });

    it('follow the require setting of the domain whose keys are to sign', async () => {
      const { mails } = process('t'.repeat(32));
      const unverified = { ...signingDomain.current, verifiedAt: null };
      shelf.domains.push({ ...own(), require: false, current: unverified });
      shelf.domains[0] = { ...signingDomain, require: true };
      await expect(mails.compose('default', below)).rejects.toBeInstanceOf(SigningFailed);
      now += CACHE_TTL_MS + 1;
      shelf.domains.splice(0, 2, { ...signingDomain, revision: 2 }, { ...own(), revision: 2, current: unverified });
      expect(await composeText(mails, 'default', below)).toBe(false);
    });
  });

  it('are deferred if signing is required and the records are not verified yet', async () => {
    shelf.domains[0] = { ...signingDomain, require: true, current: { ...signingDomain.current, verifiedAt: null } };
    await expect(process().mails.compose('default', mail)).rejects.toBeInstanceOf(SigningFailed);
  });
});
