import { installed } from '../installations/installed';
import { API_KEY } from '../installations/lettermill';

interface Key {
  id: string;
  key: string;
  name: string | null;
  created_at: string;
  current: boolean;
}

describe('API keys', () => {
  const lettermill = installed();
  const call = <T = Record<string, unknown>>(method: string, path: string, key = API_KEY, requestBody?: object) =>
    lettermill.call<T>(method, path, requestBody, { authorization: `Bearer ${key}` });
  const listKeys = async (key = API_KEY) => (await call<{ data: Key[] }>('GET', '/v2/keys', key)).body.data;
  const createKey = async () => {
    const { status, headers, body } = await call<Key>('POST', '/v2/keys');
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store']);
    return body;
  };

  it('are usable at once, listed without their secret, and refused once revoked', async () => {
    const [first] = await listKeys();
    expect(first).toEqual({
      id: expect.stringMatching(/^[A-Za-z0-9]{18}$/),
      name: null,
      created_at: expect.any(String),
      current: true,
    });
    const { key, ...made } = await createKey();
    expect(key).toMatch(/^lm_[\w-]{43}$/);
    expect(await listKeys(key)).toEqual([
      { ...first, current: false },
      { ...made, current: true },
    ]);
    expect((await call('DELETE', `/v2/keys/${made.id}`)).status).toBe(204);
    expect((await call('GET', '/v2/keys', key)).status).toBe(401);
    expect(await listKeys()).toEqual([first]);
    expect((await call('DELETE', `/v2/keys/${made.id}`)).status).toBe(404);
  });

  it('can replace the first one, and survive a restart', async () => {
    const [first] = await listKeys();
    const { key } = await createKey();
    expect((await call('DELETE', `/v2/keys/${first!.id}`, key)).status).toBe(204);
    expect((await call('GET', '/v2/keys')).status).toBe(401);
    const [own] = await listKeys(key);
    expect(await call('DELETE', `/v2/keys/${own!.id}`, key)).toMatchObject({
      status: 409,
      body: { code: 'key_in_use' },
    });
    await lettermill.stop();
    await lettermill.start();
    // The key that the environment still names exists again.
    expect((await listKeys(key)).map(({ id }) => id).sort()).toEqual([first!.id, own!.id].sort());
    expect((await call('DELETE', `/v2/keys/${own!.id}`)).status).toBe(204);
  });

  it('keep the name that they were given', async () => {
    const { status, body } = await call<Key>('POST', '/v2/keys', API_KEY, { name: 'billing, production' });
    expect([status, body.name]).toEqual([201, 'billing, production']);
    await lettermill.stop();
    await lettermill.start();
    expect((await listKeys()).find(({ id }) => id === body.id)?.name).toBe('billing, production');
    expect((await call<Key>('POST', '/v2/keys', API_KEY, { name: null })).body.name).toBeNull();
  });

  it('are not created if the name is invalid or a property unknown', async () => {
    const before = await listKeys();
    const told = { name: 'a\nb', rights: ['send'] };
    const { status, body } = await call<{ errors: { pointer: string; code: string }[] }>(
      'POST',
      '/v2/keys',
      API_KEY,
      told,
    );
    const faults = body.errors.map(({ pointer, code }) => `${pointer} ${code}`);
    expect([status, faults]).toEqual([422, ['/name control_character', '/rights unknown_property']]);
    expect(await listKeys()).toEqual(before);
  });

  it('are limited to a hundred per account', async () => {
    for (let made = (await listKeys()).length; made < 100; made += 1) await createKey();
    expect(await call('POST', '/v2/keys')).toMatchObject({ status: 409, body: { code: 'too_many_keys' } });
  });
});
