import type { Config } from '@lettermill/config';
import type { Logger } from '@lettermill/runtime';
import { hashApiKey } from './api.key';
import { KeyRing } from './key.ring';
import type { StoredKey } from './keys.store';

const stored = (key: string, accountId: string): StoredKey => ({
  hash: hashApiKey(key).toString('hex'),
  accountId,
  name: null,
  createdAt: 0,
});

async function ringOf(...keys: StoredKey[]) {
  const remove = (hash: string) => {
    const index = keys.findIndex((key) => key.hash === hash);
    if (index >= 0) keys.splice(index, 1);
    return Promise.resolve();
  };
  const add = (key: StoredKey) => Promise.resolve(keys.push(key) > 0);
  const store = {
    all: () => Promise.resolve([...keys]),
    add,
    remove,
    revoke: () => Promise.reject(new Error('nobody revokes a key here')),
    migrate: () => Promise.resolve(),
  };
  const config = { bootstrapApiKey: null as string | null, revokedApiKeys: [] as string[] };
  const ring = new KeyRing(store, config as Config, () => 0, {} as Logger);
  await ring.renew();
  return { ring, keys, config };
}

describe('KeyRing', () => {
  it('returns the account of each key, whatever key the connection showed before', async () => {
    const { ring } = await ringOf(stored('one', 'a'), stored('two', 'b'));
    const connection = {};
    const seen = ['Bearer one', 'Bearer one', 'Bearer two', 'Bearer none', 'Bearer one', undefined].map(
      (header) => ring.keyOf(header, connection)?.accountId,
    );
    expect(seen).toEqual(['a', 'a', 'b', undefined, 'a', undefined]);
  });

  it('does not accept an unknown key because another connection showed a known one', async () => {
    const { ring } = await ringOf(stored('one', 'a'));
    expect(ring.keyOf('Bearer one', {})?.accountId).toBe('a');
    expect(ring.keyOf('Bearer onf', {})?.accountId).toBeUndefined();
    expect(ring.keyOf('Bearer one')?.accountId).toBe('a');
    expect(ring.keyOf('Basic one')?.accountId).toBeUndefined();
  });

  it('accepts a new bootstrap key beside the old one, until the old one is revoked', async () => {
    const { ring, config } = await ringOf(stored('old', 'default'), stored('one', 'a'));
    const known = () => ['old', 'new', 'one'].map((key) => ring.keyOf(`Bearer ${key}`)?.accountId);
    config.bootstrapApiKey = 'new';
    await ring.onApplicationBootstrap();
    expect(known()).toEqual(['default', 'default', 'a']);
    config.revokedApiKeys = ['old', 'never there'];
    await ring.onApplicationBootstrap();
    ring.onApplicationShutdown();
    expect(known()).toEqual([undefined, 'default', 'a']);
  });

  it.each([
    ['new', []],
    [null, ['old']],
  ])(
    'has started only once the store has the new bootstrap key %j and not the revoked ones %j',
    async (key, revoked) => {
      const kept = new Set(['old'].map((one) => stored(one, 'a')));
      const later = async <T>(turns: number, work: () => T) => {
        for (; turns > 0; turns -= 1) await new Promise(setImmediate);
        return work();
      };
      const store = {
        add: (one: StoredKey) => later(3, () => kept.add(one)),
        remove: (hash: string) => later(3, () => kept.forEach((one) => one.hash === hash && kept.delete(one))),
        all: () => later(1, () => [...kept]),
      };
      const config = { bootstrapApiKey: key, revokedApiKeys: revoked } as unknown as Config;
      const ring = new KeyRing(store as never, config, () => 0, {} as Logger);
      await ring.onApplicationBootstrap();
      ring.onApplicationShutdown();
      expect(['old', 'new'].map((one) => ring.keyOf(`Bearer ${one}`)?.accountId !== undefined)).toEqual([
        !revoked[0],
        !!key,
      ]);
    },
  );

  it('refuses a revoked key after the next read of the store, also on a connection that showed it before', async () => {
    const { ring, keys } = await ringOf(stored('one', 'a'));
    const connection = {};
    expect(ring.keyOf('Bearer one', connection)?.accountId).toBe('a');
    keys.length = 0;
    await ring.renew();
    expect(ring.keyOf('Bearer one', connection)?.accountId).toBeUndefined();
  });

  it('reads the store again every five seconds, so that every gateway knows of a revoked key by then', async () => {
    jest.useFakeTimers();
    try {
      const { ring, keys } = await ringOf(stored('one', 'a'));
      await ring.onApplicationBootstrap();
      keys.splice(0, 1, stored('two', 'b'));
      await jest.advanceTimersByTimeAsync(5_000);
      ring.onApplicationShutdown();
      expect(['Bearer one', 'Bearer two'].map((header) => ring.keyOf(header)?.accountId)).toEqual([undefined, 'b']);
    } finally {
      jest.useRealTimers();
    }
  });

  it('keeps the keys that it knows, and says so, while the store cannot be read', async () => {
    jest.useFakeTimers();
    try {
      const warn = jest.fn();
      const all = jest
        .fn()
        .mockResolvedValueOnce([stored('one', 'a')])
        .mockRejectedValue(new Error('away'));
      const ring = new KeyRing({ all } as never, { revokedApiKeys: [] } as never, () => 0, { warn } as never);
      await ring.onApplicationBootstrap();
      await jest.advanceTimersByTimeAsync(5_000);
      ring.onApplicationShutdown();
      await jest.advanceTimersByTimeAsync(5_000);
      expect(ring.keyOf('Bearer one')?.accountId).toBe('a');
      expect(warn.mock.calls).toEqual([[{ err: new Error('away') }, expect.stringContaining('stay in use')]]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('uses the keys of the read that began last, whichever ends first', async () => {
    const answers: ((keys: StoredKey[]) => void)[] = [];
    const all = () => new Promise<StoredKey[]>((resolve) => answers.push(resolve));
    const ring = new KeyRing({ all } as never, {} as Config, () => 0, {} as Logger);
    const before = ring.renew();
    const after = ring.renew();
    answers[1]!([stored('new', 'a')]);
    await after;
    answers[0]!([stored('revoked', 'a')]);
    await before;
    expect(['revoked', 'new'].map((key) => ring.keyOf(`Bearer ${key}`)?.accountId)).toEqual([undefined, 'a']);
    const last = ring.renew();
    answers[2]!([]);
    await last;
    expect(ring.keyOf('Bearer new')?.accountId).toBeUndefined();
  });

  it('keeps its own changes, whatever a read that began before them returns', async () => {
    const answers: ((keys: StoredKey[]) => void)[] = [];
    const all = () => new Promise<StoredKey[]>((resolve) => answers.push(resolve));
    const ring = new KeyRing({ all } as never, {} as Config, () => 0, {} as Logger);
    const connection = {};
    const tell = async (began: Promise<void>, ...keys: StoredKey[]) => {
      answers.shift()!(keys);
      await began;
    };
    const beforeMaking = ring.renew();
    ring.learn(stored('one', 'a'));
    await tell(beforeMaking);
    expect(ring.keyOf('Bearer one', connection)?.accountId).toBe('a');
    const beforeRevoking = ring.renew();
    ring.forget(stored('one', 'a').hash);
    await tell(beforeRevoking, stored('one', 'a'));
    expect(ring.keyOf('Bearer one', connection)?.accountId).toBeUndefined();
    await tell(ring.renew(), stored('two', 'b'));
    expect(ring.keyOf('Bearer two')?.accountId).toBe('b');
  });
});
