import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { dkimVerify } from 'mailauth/lib/dkim/verify';
import { composeMail, type LoadedMail } from '../mime/mime.composer';
import { bytesOf } from '../testing/mail.bytes';
import { content } from '../testing/pooled';
import { CORPUS } from '../testing/mime.corpus';
import { RelaxedBody } from './dkim.body';
import { relaxedField, relaxedFields } from './dkim.header';
import { signMail, type SigningKey } from './dkim.sign';

const SIGNED_AT = Date.parse('2026-01-02T03:04:05.678Z');
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ed25519 = generateKeyPairSync('ed25519');
const KEYS: SigningKey[] = [
  { algorithm: 'rsa-sha256', domain: 'example.com', selector: 'a', key: rsa.privateKey },
  { algorithm: 'ed25519-sha256', domain: 'example.com', selector: 'b', key: ed25519.privateKey },
];
const spki = (key: KeyObject) => key.export({ type: 'spki', format: 'der' });
const RECORDS: Record<string, string> = {
  'a._domainkey.example.com': `v=DKIM1; k=rsa; p=${spki(rsa.publicKey).toString('base64')}`,
  'b._domainkey.example.com': `v=DKIM1; k=ed25519; p=${spki(ed25519.publicKey).subarray(-32).toString('base64')}`,
};

const resolver = (name: string) => Promise.resolve([[RECORDS[name]!]]);
async function verdicts(raw: Buffer): Promise<string[]> {
  const { results } = await dkimVerify(raw, { resolver } as never);
  return (results as unknown as { algo: string; status: { result: string } }[]).map(
    ({ algo, status }) => `${algo}: ${status.result}`,
  );
}
const BOTH_FAIL = ['rsa-sha256: fail', 'ed25519-sha256: fail'];
const BOTH_PASS = ['rsa-sha256: pass', 'ed25519-sha256: pass'];

async function signedMail(mail: LoadedMail): Promise<Buffer> {
  return bytesOf(await signMail(composeMail(mail), KEYS, SIGNED_AT));
}

describe('the example of RFC 8463 appendix A', () => {
  const FIELDS = [
    'From: Joe SixPack <joe@football.example.com>',
    'To: Suzie Q <suzie@shopping.example.net>',
    'Subject: Is dinner ready?',
    'Date: Fri, 11 Jul 2003 21:00:37 -0700 (PDT)',
    'Message-ID: <20030712040037.46341.5F8J@football.example.com>',
  ];
  const BODY = 'Hi.\r\n\r\nWe lost the game.  Are you hungry yet?\r\n\r\nJoe.\r\n';
  const own = (algorithm: string, selector: string, h: string) =>
    `DKIM-Signature: v=1; a=${algorithm}; c=relaxed/relaxed;\r\n d=football.example.com; i=@football.example.com;\r\n q=dns/txt; s=${selector}; t=1528637909; h=${h};\r\n bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;\r\n b=`;
  const signedText = (field: string) =>
    Buffer.from([...relaxedFields(FIELDS.join('\r\n')), relaxedField(field)].map(({ text }) => text).join('\r\n'));

  it('yields its body hash', () => {
    const body = new RelaxedBody();
    body.update(Buffer.from(BODY));
    expect(body.digest().toString('base64')).toBe('2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=');
  });

  it('yields its Ed25519 signature', () => {
    const seed = Buffer.from('nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=', 'base64');
    const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    const h = 'from : to :\r\n subject : date : message-id : from : subject : date';
    const hash = createHash('sha256')
      .update(signedText(own('ed25519-sha256', 'brisbane', h)))
      .digest();
    expect(sign(null, hash, key).toString('base64')).toBe(
      '/gCrinpcQOoIfuHNQIbq4pgh9kyIK3AQUdt9OdqQehSwhEIug4D11BusFa3bT3FY5OsU7ZbnKELq+eXdp1Q1Dw==',
    );
  });

  it('verifies with its RSA signature', () => {
    const published =
      'MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDkHlOQoBTzWRiGs5V6NpP3idY6Wk08a5qhdR6wy5bdOKb2jLQiY/J16JYi0Qvx/byYzCNb3W91y3FutACDfzwQ/BC/e/8uBsCR+yz1Lxj+PL6lHvqMKrM3rG4hstT5QjvHO9PzoxZyVYLzBfO2EeC3Ip3G+2kryOTIKT+l/K4w3QIDAQAB';
    const key = createPublicKey({ key: Buffer.from(published, 'base64'), format: 'der', type: 'spki' });
    const h = 'from : to : subject :\r\n date : message-id : from : subject : date';
    const signature =
      'F45dVWDfMbQDGHJFlXUNB2HKfbCeLRyhDXgFpEL8GwpsRe0IeIixNTe3DhCVlUrSjV4BwcVcOF6+FF3Zo9Rpo1tFOeS9mPYQTnGdaSGsgeefOsk2JzdA+L10TeYt9BgDfQNZtKdN1WO//KgIqXP7OdEFE4LjFYNcUxZQ4FADY+8=';
    expect(verify('sha256', signedText(own('rsa-sha256', 'test', h)), key, Buffer.from(signature, 'base64'))).toBe(
      true,
    );
  });
});

describe('a signed mail', () => {
  it.each(CORPUS.map((mail) => [`${mail.message_id} ${mail.subject.slice(0, 20)}`, mail] as const))(
    'is verified by another implementation: %s',
    async (_name, mail) => {
      expect(await verdicts(await signedMail(mail))).toEqual(BOTH_PASS);
    },
  );

  const [plain] = CORPUS as [LoadedMail];
  const files = (bytes: Buffer) => [{ file_name: 'a.bin', content_type: 'application/octet-stream', bytes }];

  it.each([
    ['of ten megabytes', { attachments: files(Buffer.alloc(10 * 1024 * 1024, 'lorem ipsum ')) }],
    ['with an empty body', { text: '' }],
    ['that ends in empty lines and blanks', { text: 'a\n \n\t\n\n\n' }],
    ['of dots', { text: '.\n..\n.a\n' }],
    ['with a header of more than a chunk', { headers: [['X-Long', 'lorem '.repeat(20_000)]] }],
    ['to a UTF-8 address', { to: { email: 'jörg@bücher.example', name: 'Jörg' } }],
  ] as [string, Partial<LoadedMail>][])('%s is verified', async (_what, over) => {
    expect(await verdicts(await signedMail({ ...plain, ...over }))).toEqual(BOTH_PASS);
  });

  it('is the unsigned mail after signatures in lines of up to 78, the same each time', async () => {
    const composed = composeMail(plain);
    const signed = await signMail(composed, KEYS, SIGNED_AT);
    const raw = bytesOf(signed);
    expect(raw.subarray(-composed.size)).toEqual(bytesOf(composed));
    expect(signed.size).toBe(raw.length);
    const fields = raw.subarray(0, raw.length - composed.size).toString();
    expect(fields).toMatch(
      /^DKIM-Signature: v=1; a=rsa-sha256;[^]*\r\nDKIM-Signature: v=1; a=ed25519-sha256;[^]*\r\n$/,
    );
    expect(Math.max(...fields.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(78);
    expect(fields).toContain(`t=${Math.floor(SIGNED_AT / 1000)};`);
    expect(bytesOf(await signMail(composeMail(plain), KEYS, SIGNED_AT))).toEqual(raw);
  });

  it('yields to other work while it is hashed, if it is large', async () => {
    let turns = 0;
    let over = false;
    const count = () => {
      turns += 1;
      if (!over) setImmediate(count);
    };
    const large = composeMail({ ...plain, attachments: files(Buffer.alloc(10 * 1024 * 1024)) });
    setImmediate(count);
    // There are no keys, so every turn counted is one of the hashing.
    await signMail(large, [], SIGNED_AT);
    over = true;
    expect(turns).toBeGreaterThan(20);
  });

  it('is one chunk if it is small', async () => {
    expect([...(await signMail(composeMail(plain), KEYS, SIGNED_AT)).chunks()]).toHaveLength(1);
  });

  it.each([
    'From: evil@example.com',
    'To: other@example.com',
    'Cc: other@example.com',
    'Subject: Changed',
    'Date: Fri, 02 Jan 2026 03:04:06 +0000',
    'Reply-To: evil@example.com',
    'Message-ID: <other@example.com>',
    'MIME-Version: 1.0',
    'Content-Type: text/html',
    'Content-Transfer-Encoding: base64',
  ])('does not verify once a field was added: %s', async (field) => {
    const raw = await signedMail(plain);
    const bad = Buffer.concat([Buffer.from(`${field}\r\n`), raw]);
    expect(await verdicts(bad)).toEqual(BOTH_FAIL);
  });

  it('does not verify once body or unsubscribe link changed, but does after a Received field was added', async () => {
    const raw = await signedMail({
      ...plain,
      headers: [
        ['List-Unsubscribe', '<https://example.com/u/1>'],
        ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
      ],
    });
    const changed = (from: string, to: string) => {
      const text = raw.toString('latin1');
      expect(text).toContain(from);
      return Buffer.from(text.replace(from, to), 'latin1');
    };
    expect(await verdicts(changed('\r\n\r\nHello', '\r\n\r\nHallo'))).not.toContain(BOTH_PASS[0]);
    expect(await verdicts(changed('/u/1', '/u/2'))).toEqual(BOTH_FAIL);
    expect(await verdicts(changed('=One-Click', '=Two-Click'))).toEqual(BOTH_FAIL);
    const traced = Buffer.concat([Buffer.from('Received: from a by b; Fri, 02 Jan 2026 03:04:06 +0000\r\n'), raw]);
    expect(await verdicts(traced)).toEqual(BOTH_PASS);
  });

  it('fails if a key cannot sign', async () => {
    const wrong = [{ ...KEYS[0]!, key: ed25519.privateKey }];
    await expect(signMail(content('From: a@b.example\r\n\r\nx\r\n'), wrong, SIGNED_AT)).rejects.toThrow();
  });
});
