import { DkimInstallation, newPrivateKey, type DkimRecord, type Domain } from './dkim.installation';
import type { Problem } from '../installations/lettermill';

describe('the API of DKIM domains', () => {
  const dkim = DkimInstallation.installed();

  describe('refuses', () => {
    it.each(['example', '10.0.0.1', 'a_b.example', '-a.example', `${'a'.repeat(64)}.example`])(
      'an invalid domain: %s',
      async (name) => {
        const { status, body } = await dkim.put<Problem>(name);
        expect(status).toBe(422);
        expect(body.errors).toEqual([expect.objectContaining({ pointer: '', code: 'invalid_domain' })]);
        for (const [method, path] of [
          ['GET', ''],
          ['DELETE', ''],
          ['POST', '/verify'],
        ] as const)
          expect((await dkim.lettermill.call(method, `/v2/domains/${name}${path}`)).status).toBe(404);
      },
    );

    it.each([
      ['/selector', 'bad_format', { selector: 'A.b' }],
      ['/selector', 'too_long', { selector: 'a'.repeat(61) }],
      ['/private_key', 'invalid_private_key', { private_key: 'no key' }],
      ['/private_key', 'invalid_private_key', { private_key: newPrivateKey(1024) }],
      ['/private_key', 'too_long', { private_key: 'x'.repeat(8193) }],
      ['/rotate', 'wrong_type', { rotate: 'yes' }],
      ['/sign', 'not_allowed_value', { sign: 'never' }],
      ['/selectr', 'unknown_property', { selectr: 'a' }],
      ['', 'wrong_type', []],
      ['', 'wrong_type', null],
    ])('a body with a fault at %s: %s', async (pointer, code, setup) => {
      const { status, body } = await dkim.put<Problem>('refused.example', setup);
      expect(status).toBe(422);
      expect(body.errors).toEqual([expect.objectContaining({ pointer, code })]);
      expect(JSON.stringify(body)).not.toMatch(/[A-Za-z0-9+/]{40}/);
      expect((await dkim.lettermill.call('GET', '/v2/domains/refused.example')).status).toBe(404);
    });

    it('an invalid private key together with every other fault', async () => {
      const { body } = await dkim.put<Problem>('refused.example', { private_key: 'no key', colour: 'red' });
      expect(body.errors?.map(({ code }) => code)).toEqual(['unknown_property', 'invalid_private_key']);
    });

    it.each(['limit=0', 'limit=101', 'cursor=%20', 'page=2'])('a list with %s', async (query) => {
      expect((await dkim.lettermill.call('GET', `/v2/domains?${query}`)).status).toBe(422);
    });

    it('a call without an API key, and unknown domains', async () => {
      const answer = await fetch(`${dkim.lettermill.url}/v2/domains/shop.example`, { method: 'PUT' });
      expect(answer.status).toBe(401);
      for (const [method, path] of [
        ['GET', ''],
        ['DELETE', ''],
        ['POST', '/verify'],
      ] as const)
        expect((await dkim.lettermill.call(method, `/v2/domains/none.example${path}`)).status).toBe(404);
    });
  });

  it('returns records to publish, the same for the same call, and never a private key', async () => {
    const { status, body } = await dkim.put('Bücher.Example');
    expect(status).toBe(201);
    expect(body).toMatchObject({ domain: 'xn--bcher-kva.example', status: 'pending', signing: false });
    expect(body.records.map(({ algorithm, status: seen }) => [algorithm, seen])).toEqual([
      ['rsa-sha256', 'unchecked'],
      ['ed25519-sha256', 'unchecked'],
    ]);
    const [rsa] = body.records as [DkimRecord];
    expect(rsa.name).toBe(`${rsa.selector}._domainkey.xn--bcher-kva.example`);
    expect(rsa.value).toMatch(/^v=DKIM1; k=rsa; p=MIIBIj[A-Za-z0-9+/=]+$/);
    expect(rsa.strings.join('')).toBe(rsa.value);
    const again = await dkim.put('xn--bcher-kva.example', {});
    expect([again.status, again.body]).toEqual([200, body]);
    expect((await dkim.lettermill.call('GET', '/v2/domains/b%C3%BCcher.example')).body).toEqual(body);
    const { body: list } = await dkim.lettermill.call<{ data: Domain[]; next_cursor: null }>('GET', '/v2/domains');
    expect(list.data).toContainEqual(body);
    expect(JSON.stringify(list)).not.toMatch(/wrapped|private/i);
  });

  it('looks up the records, and reports what it found', async () => {
    const { body } = await dkim.put('looked.example', { selector: 'mail' });
    const [rsa, ed] = body.records as [DkimRecord, DkimRecord];
    expect([rsa.selector, ed.selector]).toEqual(['mail', 'mail-ed']);
    expect((await dkim.verify('looked.example')).body.records.map(({ status }) => status)).toEqual([
      'missing',
      'missing',
    ]);
    dkim.dns.records.set(rsa.name, [rsa.value]).set(ed.name, ['v=DKIM1; k=ed25519; p=']);
    const { body: half } = await dkim.verify('looked.example');
    expect(half).toMatchObject({ status: 'pending', signing: false });
    expect(half.records.map(({ status, found }) => [status, found])).toEqual([
      ['found', [rsa.value]],
      ['differs', ['v=DKIM1; k=ed25519; p=']],
    ]);
    dkim.dns.failing = true;
    const { body: away } = await dkim.verify('looked.example').finally(() => (dkim.dns.failing = false));
    expect(away.records.map(({ status }) => status)).toEqual(['unreachable', 'unreachable']);
    dkim.dns.records.set(ed.name, [ed.value]);
    expect((await dkim.verify('looked.example')).body).toMatchObject({ status: 'verified', signing: true });
  });
});
