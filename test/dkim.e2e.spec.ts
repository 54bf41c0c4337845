import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dkimVerify } from 'mailauth/lib/dkim/verify';
import { DnsServer } from './dns.server';
import { Lettermill, PROFILE } from './lettermill';
import { SmtpSink } from './smtp.sink';

interface DkimRecord {
  use: string;
  selector: string;
  algorithm: string;
  name: string;
  value: string;
  strings: string[];
  zone: string;
  status: string;
  found?: string[];
}
interface Domain {
  domain: string;
  status: string;
  signing: boolean;
  sign: string;
  require: boolean;
  records: DkimRecord[];
}
interface Refusal {
  code: string;
  errors?: { pointer: string; code: string; detail: string }[];
}

const GOOD = ['rsa-sha256 pass', 'ed25519-sha256 pass'];
const pem = (modulusLength = 2048) =>
  generateKeyPairSync('rsa', { modulusLength }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

describe('DKIM', () => {
  let sink: SmtpSink;
  let dns: DnsServer;
  let lettermill: Lettermill;
  beforeAll(async () => {
    sink = await new SmtpSink().start();
    dns = await new DnsServer().start();
    lettermill = await Lettermill.start({ SMTP_URL: sink.url, DNS_SERVERS: dns.address, RETRY_DELAYS: '1,1,1,1,1,1' });
  });
  afterAll(async () => {
    await lettermill.destroy();
    await sink.stop();
    dns.stop();
  });

  const put = <T = Domain>(domain: string, body?: unknown) => lettermill.call<T>('PUT', `/v2/domains/${domain}`, body);
  const verify = (domain: string) => lettermill.call<Domain>('POST', `/v2/domains/${domain}/verify`);
  const publish = ({ records }: Domain) => records.forEach(({ name, value }) => dns.records.set(name, [value]));
  const of = ({ records }: Domain, use: string) => records.filter((record) => record.use === use);

  let people = 0;
  /** What arrived of a message from this domain. */
  async function sent(domain: string, over: Record<string, unknown> = {}, email = `p${(people += 1)}@example.org`) {
    const slug = `from-${domain.replace(/[^a-z]/g, '-')}`;
    await lettermill.launch(slug, { from: { email: `shop@${domain}`, name: 'Shop' } });
    const { body } = await lettermill.send({ campaign: slug, to: { email }, ...over });
    await lettermill.until(body.messages[0]!.message_id, 'sent');
    return (await sink.one(email)).raw;
  }

  /** By an implementation that is not ours, with the records that are published. */
  async function verdicts(raw: Buffer): Promise<string[]> {
    const resolver = (name: string) => Promise.resolve((dns.records.get(name) ?? []).map((text) => [text]));
    const { results } = await dkimVerify(raw, { resolver } as never);
    const told = results as unknown as { algo: string; status: { result: string }; signingDomain: string }[];
    return told.filter(({ algo }) => algo).map(({ algo, status }) => `${algo} ${status.result}`);
  }

  /** A domain that signs. */
  async function ready(domain: string, body: unknown = {}): Promise<Domain> {
    publish((await put(domain, body)).body);
    const { body: verified } = await verify(domain);
    expect(verified).toMatchObject({ status: 'verified', signing: true });
    return verified;
  }

  describe('the calls refuse', () => {
    it.each(['example', '10.0.0.1', 'a_b.example', '-a.example', `${'a'.repeat(64)}.example`])(
      'what is no domain: %s',
      async (name) => {
        const { status, body } = await put<Refusal>(name);
        expect(status).toBe(422);
        expect(body.errors).toEqual([expect.objectContaining({ pointer: '', code: 'invalid_domain' })]);
        for (const [method, path] of [
          ['GET', ''],
          ['DELETE', ''],
          ['POST', '/verify'],
        ] as const)
          expect((await lettermill.call(method, `/v2/domains/${name}${path}`)).status).toBe(404);
      },
    );

    it.each([
      ['/selector', 'bad_format', { selector: 'A.b' }],
      ['/selector', 'too_long', { selector: 'a'.repeat(61) }],
      ['/private_key', 'invalid_private_key', { private_key: 'no key' }],
      ['/private_key', 'invalid_private_key', { private_key: pem(1024) }],
      ['/private_key', 'too_long', { private_key: 'x'.repeat(8193) }],
      ['/rotate', 'wrong_type', { rotate: 'yes' }],
      ['/sign', 'not_allowed_value', { sign: 'never' }],
      ['/selectr', 'unknown_property', { selectr: 'a' }],
      ['', 'wrong_type', []],
      ['', 'wrong_type', null],
    ])('%s: %s', async (pointer, code, setup) => {
      const { status, body } = await put<Refusal>('refused.example', setup);
      expect(status).toBe(422);
      expect(body.errors).toEqual([expect.objectContaining({ pointer, code })]);
      expect(JSON.stringify(body)).not.toMatch(/[A-Za-z0-9+/]{40}/);
      expect((await lettermill.call('GET', '/v2/domains/refused.example')).status).toBe(404);
    });

    it.each(['limit=0', 'limit=101', 'cursor=%20', 'page=2'])('a list with %s', async (query) => {
      expect((await lettermill.call('GET', `/v2/domains?${query}`)).status).toBe(422);
    });

    it('everybody without a key, and domains that are not there', async () => {
      const answer = await fetch(`${lettermill.url}/v2/domains/shop.example`, { method: 'PUT' });
      expect(answer.status).toBe(401);
      for (const [method, path] of [
        ['GET', ''],
        ['DELETE', ''],
        ['POST', '/verify'],
      ] as const)
        expect((await lettermill.call(method, `/v2/domains/none.example${path}`)).status).toBe(404);
    });
  });

  it('answers records to publish, the same to the same call, and never a private key', async () => {
    const { status, body } = await put('Bücher.Example');
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
    const again = await put('xn--bcher-kva.example', {});
    expect([again.status, again.body]).toEqual([200, body]);
    expect((await lettermill.call('GET', '/v2/domains/b%C3%BCcher.example')).body).toEqual(body);
    const { body: list } = await lettermill.call<{ data: Domain[]; next_cursor: null }>('GET', '/v2/domains');
    expect(list.data).toContainEqual(body);
    expect(JSON.stringify(list)).not.toMatch(/wrapped|private/i);
  });

  it('looks the records up, and says what it found', async () => {
    const { body } = await put('looked.example', { selector: 'mail' });
    const [rsa, ed] = body.records as [DkimRecord, DkimRecord];
    expect([rsa.selector, ed.selector]).toEqual(['mail', 'mail-ed']);
    expect((await verify('looked.example')).body.records.map(({ status }) => status)).toEqual(['missing', 'missing']);
    dns.records.set(rsa.name, [rsa.value]).set(ed.name, ['v=DKIM1; k=ed25519; p=']);
    const { body: half } = await verify('looked.example');
    expect(half).toMatchObject({ status: 'pending', signing: false });
    expect(half.records.map(({ status, found }) => [status, found])).toEqual([
      ['found', [rsa.value]],
      ['differs', ['v=DKIM1; k=ed25519; p=']],
    ]);
    dns.failing = true;
    const { body: away } = await verify('looked.example').finally(() => (dns.failing = false));
    expect(away.records.map(({ status }) => status)).toEqual(['unreachable', 'unreachable']);
    dns.records.set(ed.name, [ed.value]);
    expect((await verify('looked.example')).body).toMatchObject({ status: 'verified', signing: true });
  });

  it('signs nothing until the records are found, and then everything', async () => {
    const { body } = await put('later.example');
    expect(await verdicts(await sent('later.example'))).toEqual([]);
    publish(body);
    await verify('later.example');
    expect(await verdicts(await sent('later.example'))).toEqual(GOOD);
    expect((await lettermill.call('DELETE', '/v2/domains/later.example')).status).toBe(204);
    expect(await verdicts(await sent('later.example'))).toEqual([]);
  });

  it('signs for the domain above, unless there is one of its own', async () => {
    await ready('above.example');
    const raw = await sent('news.above.example');
    expect(await verdicts(raw)).toEqual(GOOD);
    expect(raw.toString('latin1')).toContain(' d=above.example;');
    await ready('own.above.example');
    expect((await sent('own.above.example')).toString('latin1')).toContain(' d=own.above.example;');
  });

  it('signs with a key of the caller, by RSA alone where that is wanted, without having looked', async () => {
    const private_key = pem();
    const { body } = await put('brought.example', { private_key, selector: 'own', ed25519: false, sign: 'always' });
    expect(body).toMatchObject({ status: 'pending', signing: true, sign: 'always' });
    publish(body);
    expect(await verdicts(await sent('brought.example'))).toEqual(GOOD.slice(0, 1));
    const other = await put<Refusal>('brought.example', { private_key: pem(), selector: 'own' });
    expect(other.body.errors).toEqual([expect.objectContaining({ pointer: '/selector', code: 'selector_taken' })]);
    expect(lettermill.output).not.toContain(private_key.split('\n')[3]);
  });

  it('changes keys without a mail in between that can not be verified', async () => {
    const before = await ready('rotated.example');
    const { body: asked } = await put('rotated.example', { rotate: true });
    expect(of(asked, 'current')).toHaveLength(2);
    expect(of(asked, 'next')).toHaveLength(2);
    expect((await put('rotated.example', { rotate: true })).body).toEqual(asked);
    expect((await verify('rotated.example')).body).toMatchObject({ status: 'verified' });
    const selector = async () => / s=([^;]+);/.exec((await sent('rotated.example')).toString('latin1'))![1];
    expect(await selector()).toBe(before.records[0]!.selector);
    publish(asked);
    const { body: done } = await verify('rotated.example');
    expect([...new Set(done.records.map(({ use }) => use))]).toEqual(['current', 'retired']);
    expect(await selector()).toBe(of(asked, 'next')[0]!.selector);
    expect(await verdicts(await sent('rotated.example'))).toEqual(GOOD);
  });

  it('lets mails wait that must be signed and can not be', async () => {
    const { body } = await put('strict.example', { require: true });
    await lettermill.launch('strict', { from: 'shop@strict.example' });
    const { body: ack } = await lettermill.send({ campaign: 'strict', to: 'waits@example.org' });
    const id = ack.messages[0]!.message_id;
    const waits = await lettermill.until(id, 'deferred');
    expect(waits.reason).toMatchObject({ code: 'signing_failed' });
    expect(sink.to('waits@example.org')).toEqual([]);
    publish(body);
    await verify('strict.example');
    await lettermill.until(id, 'sent');
    expect(await verdicts((await sink.one('waits@example.org')).raw)).toEqual(GOOD);
  });

  describe('a mail as it arrives is verified', () => {
    beforeAll(() => ready('signed.example'));
    const file = (bytes: Buffer, file_name = 'a.bin') => ({
      ...{ attachment_type: 'file', file_name, data: bytes.toString('base64') },
    });
    it.each([
      ['with files', { attachments: [file(Buffer.alloc(100_000, '.\r\n')), file(Buffer.from('x'), 'Zoë.txt')] }],
      ['of ten megabytes', { attachments: [file(Buffer.alloc(9_900_000, 'lorem ipsum'))] }],
      ['with dots', { message: { text: '.\n..\n.a\n\n.' } }],
      ['with long lines', { message: { text: 'x'.repeat(5_000), html: `<p>${'ü '.repeat(3_000)}</p>` } }],
      ['that ends in empty lines', { message: { text: 'a \n\t\n\n\n\n' } }],
      [
        'with headers of its own',
        { message: { headers: { 'List-Unsubscribe': '<https://a.example/u>', 'X-A': 'ü' } } },
      ],
      ['with copies', { message: { cc: ['copy@example.org'], reply_to: 'help@signed.example' } }],
    ])('%s', async (_what, over) => {
      expect(await verdicts(await sent('signed.example', over))).toEqual(GOOD);
    });

    it('to a UTF-8 address', async () => {
      expect(await verdicts(await sent('signed.example', {}, 'jörg@example.org'))).toEqual(GOOD);
    });

    it('from an internationalised domain', async () => {
      await ready('grün.example');
      const raw = await sent('grün.example');
      expect(await verdicts(raw)).toEqual(GOOD);
      expect(raw.toString('latin1')).toContain(' d=xn--grn-ioa.example;');
    });

    it('with the same bytes when it is tried again after nobody knows whether it arrived', async () => {
      const slug = 'from-signed-example';
      const { body } = await lettermill.send({ campaign: slug, to: 'cutdot-dkim@example.org' });
      await lettermill.until(body.messages[0]!.message_id, 'sent');
      const copies = sink.to('cutdot-dkim@example.org');
      expect(copies).toHaveLength(2);
      expect(copies[0]!.raw).toEqual(copies[1]!.raw);
      expect(await verdicts(copies[1]!.raw)).toEqual(GOOD);
    });

    it('no more once somebody added or changed what matters', async () => {
      const raw = await sent('signed.example');
      const bad = GOOD.map((verdict) => verdict.replace('pass', 'fail'));
      for (const field of [
        'From: evil@example.com',
        'Subject: Other',
        'To: b@example.org',
        'Reply-To: evil@example.com',
      ])
        expect(await verdicts(Buffer.concat([Buffer.from(`${field}\r\n`), raw]))).toEqual(bad);
      expect(await verdicts(Buffer.concat([Buffer.from('Received: from a by b; now\r\n'), raw]))).toEqual(GOOD);
    });
  });

  it('keeps private keys where nobody reads them', async () => {
    const { output } = lettermill;
    expect(output).not.toMatch(/PRIVATE KEY|MIIEv/);
    if (PROFILE !== 'embedded') return;
    const file = readFileSync(join(lettermill.dataDir, 'lettermill.db'));
    const log = readFileSync(join(lettermill.dataDir, 'lettermill.db-wal'));
    for (const bytes of [file, log]) expect(bytes.includes('PRIVATE KEY') || bytes.includes('MIIEv')).toBe(false);
  });

  it('signs with the same keys after a restart', async () => {
    await ready('kept.example');
    await lettermill.stop();
    await lettermill.start();
    expect(await verdicts(await sent('kept.example'))).toEqual(GOOD);
  });
});
