import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import { makeKeyPair, privateKeyOf, readPrivateKey } from './dkim.key';
import { KeyVault, type KeyName } from './key.vault';

const pkcs8 = { type: 'pkcs8', format: 'pem' } as const;
const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength }).privateKey;
const faultOf = (pem: string) => (readPrivateKey(pem) as { fault: string }).fault;

describe('imported private keys', () => {
  it.each([
    ['nothing', ''],
    ['a text', 'my key'],
    ['half a key', rsa(2048).export(pkcs8).slice(0, 200)],
    ['a broken key', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'],
    ['a public key', generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' })],
    ['two keys', `${rsa(2048).export(pkcs8).toString()}${rsa(2048).export(pkcs8).toString()}`],
    ['a key with a passphrase', rsa(2048).export({ ...pkcs8, cipher: 'aes-256-cbc', passphrase: 'p' })],
    ['a key of another kind', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(pkcs8)],
    ['RSA of 1024 bits', rsa(1024).export(pkcs8)],
  ])('are rejected: %s', (_what, pem) => {
    const fault = faultOf(pem as string);
    expect(fault).toMatch(/^(must|is) /);
    expect(fault).not.toMatch(/[A-Za-z0-9+/]{16}/);
  });

  /** A key with another digit in the middle of one of its numbers; the first and the last stay, so it can still be read. */
  function damaged(key: KeyObject, number: 'n' | 'e' | 'd' | 'p'): string {
    const jwk = key.export({ format: 'jwk' });
    const digits = jwk[number]!;
    const middle = Math.floor(digits.length / 2);
    const other = digits[middle] === 'A' ? 'B' : 'A';
    const changed: JsonWebKey = { ...jwk, [number]: digits.slice(0, middle) + other + digits.slice(middle + 1) };
    return createPrivateKey({ key: changed, format: 'jwk' }).export(pkcs8) as string;
  }

  it.each(['n', 'e'] as const)('are rejected if they are damaged, so that nobody could verify a mail: %s', (number) => {
    expect(faultOf(damaged(rsa(2048), number))).toBe('is damaged: what it signs cannot be verified');
  });

  it.each(['d', 'p'] as const)('are rejected or still sign validly if another number is damaged: %s', (number) => {
    const read = readPrivateKey(damaged(rsa(2048), number));
    if ('fault' in read) return expect(read.fault).toMatch(/^is /);
    const data = Buffer.from('mail');
    const publicKey = createPublicKey({ key: Buffer.from(read.publicKey, 'base64'), type: 'spki', format: 'der' });
    expect(verify('sha256', data, publicKey, sign('sha256', data, privateKeyOf(read.privateKey)))).toBe(true);
  });

  it.each([
    ['PKCS#8', pkcs8],
    ['PKCS#1', { type: 'pkcs1', format: 'pem' } as const],
  ])('are accepted in %s', (_what, form) => {
    const key = rsa(2048);
    const read = readPrivateKey(`\n${key.export(form) as string}\n`);
    expect(read).toMatchObject({ algorithm: 'rsa-sha256', publicKey: expect.stringMatching(/^MIIBIj/) as string });
  });

  it('are accepted for Ed25519, with a raw public key of 32 bytes', async () => {
    const made = await makeKeyPair('ed25519-sha256');
    const pem = privateKeyOf(made.privateKey).export(pkcs8);
    expect(readPrivateKey(pem as string)).toEqual(made);
    expect(Buffer.from(made.publicKey, 'base64')).toHaveLength(32);
  });
});

describe('KeyVault', () => {
  const name: KeyName = ['a', 'example.com', 's1'];
  const vault = new KeyVault('s'.repeat(32));
  const secret = Buffer.from('private');

  it('unwraps what it wrapped, which differs each time', () => {
    const wrapped = vault.wrap(secret, name);
    expect(wrapped).not.toContain(secret.toString('base64url'));
    expect(vault.unwrap(wrapped, name)).toEqual(secret);
    expect(vault.wrap(secret, name)).not.toBe(wrapped);
  });

  it('unwraps with a former secret, and rewraps with the current one', () => {
    const wrapped = vault.wrap(secret, name);
    const next = new KeyVault('t'.repeat(32), ['r'.repeat(32), 's'.repeat(32)]);
    expect(next.unwrap(wrapped, name)).toEqual(secret);
    const renewed = next.rewrap(wrapped, name);
    expect(new KeyVault('t'.repeat(32)).unwrap(renewed, name)).toEqual(secret);
    expect(vault.unwrap(renewed, name)).toBeUndefined();
    expect(next.rewrap(renewed, name)).toBe(renewed);
    expect(next.unwrap(wrapped, ['b', 'example.com', 's1'])).toBeUndefined();
  });

  it('leaves unchanged on rewrap what no secret unwraps', () => {
    const wrapped = vault.wrap(secret, name);
    expect(new KeyVault('t'.repeat(32), ['r'.repeat(32)]).rewrap(wrapped, name)).toBe(wrapped);
  });

  it('ignores a former secret that equals the current one', () => {
    expect(new KeyVault('s'.repeat(32), ['s'.repeat(32)]).hasFormer).toBe(false);
    expect(new KeyVault('s'.repeat(32), ['t'.repeat(32)]).hasFormer).toBe(true);
  });

  it('unwraps nothing for another name or secret, and nothing that was modified', () => {
    const wrapped = vault.wrap(secret, name);
    expect(new KeyVault('t'.repeat(32)).unwrap(wrapped, name)).toBeUndefined();
    for (const other of [
      ['b', 'example.com', 's1'],
      ['a', 'example.org', 's1'],
      ['a', 'example.com', 's2'],
    ] as const)
      expect(vault.unwrap(wrapped, other)).toBeUndefined();
    const bytes = Buffer.from(wrapped, 'base64url');
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      expect(vault.unwrap(changed.toString('base64url'), name)).toBeUndefined();
    }
    for (const cut of ['', 'AQ', wrapped.slice(0, 30)]) expect(vault.unwrap(cut, name)).toBeUndefined();
  });
});
