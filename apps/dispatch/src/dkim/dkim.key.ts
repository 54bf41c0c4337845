import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { promisify } from 'node:util';
import { signedData, type DkimAlgorithm } from './dkim.signature';

/** A key pair as it is kept: the public half as published in DNS (`p=`), the private half as PKCS#8. */
export interface DkimKeyPair {
  algorithm: DkimAlgorithm;
  publicKey: string;
  privateKey: Buffer;
}

/** RFC 8301: verifiers must not trust weaker keys, and need not support longer ones. */
const RSA_BITS = { made: 2048, least: 2048, most: 4096 } as const;

const generate = promisify(generateKeyPair);
const SPKI = { type: 'spki', format: 'der' } as const;
const PKCS8 = { type: 'pkcs8', format: 'der' } as const;
const ED25519_BYTES = 32;
const PEM = /^\s*-----BEGIN (?:RSA )?PRIVATE KEY-----[A-Za-z0-9+/=\s]+-----END (?:RSA )?PRIVATE KEY-----\s*$/;

/** Runs in libuv's pool; RSA takes a good tenth of a second. */
export async function makeKeyPair(algorithm: DkimAlgorithm): Promise<DkimKeyPair> {
  const { privateKey } =
    algorithm === 'rsa-sha256' ? await generate('rsa', { modulusLength: RSA_BITS.made }) : await generate('ed25519');
  return pairOf(algorithm, privateKey);
}

/** Reads a private key in PEM (PKCS#8, for RSA also PKCS#1), or says what is wrong with it; the text of the key is never repeated. */
export function readPrivateKey(pem: string): DkimKeyPair | { fault: string } {
  if (!PEM.test(pem)) return { fault: 'must be one private key in PEM, without a passphrase' };
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    return { fault: 'is not a readable private key' };
  }
  if (key.asymmetricKeyType === 'ed25519') return checkedPair('ed25519-sha256', key);
  if (key.asymmetricKeyType !== 'rsa') return { fault: 'must be an RSA or Ed25519 key' };
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits < RSA_BITS.least || bits > RSA_BITS.most)
    return { fault: `must have ${RSA_BITS.least} to ${RSA_BITS.most} bits, has ${bits}` };
  return checkedPair('rsa-sha256', key);
}

/** A key with a wrong digit is often readable; every mail would leave with a signature that is wrong. */
function checkedPair(algorithm: DkimAlgorithm, key: KeyObject): DkimKeyPair | { fault: string } {
  return signsValidly(algorithm, key)
    ? pairOf(algorithm, key)
    : { fault: 'is damaged: what it signs cannot be verified' };
}

const SAMPLE = Buffer.from('dkim-signature:v=1; b=');

function signsValidly(algorithm: DkimAlgorithm, key: KeyObject): boolean {
  const { hash, data } = signedData(algorithm, SAMPLE);
  try {
    return verify(hash, data, createPublicKey(key), sign(hash, data, key));
  } catch {
    return false;
  }
}

export function privateKeyOf(pkcs8: Buffer): KeyObject {
  return createPrivateKey({ key: pkcs8, ...PKCS8 });
}

/** Hardly any two keys have the same, and it is short enough for a name. */
export function fingerprint(publicKey: string): string {
  return createHash('sha256').update(publicKey).digest('hex').slice(0, 6);
}

function pairOf(algorithm: DkimAlgorithm, key: KeyObject): DkimKeyPair {
  const spki = createPublicKey(key).export(SPKI);
  // For Ed25519 the bare key is published (RFC 8463 section 4).
  const published = algorithm === 'rsa-sha256' ? spki : spki.subarray(-ED25519_BYTES);
  return { algorithm, publicKey: published.toString('base64'), privateKey: key.export(PKCS8) };
}
