import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const FORMAT_VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_PURPOSE = 'lettermill dkim private keys';

/** Whose key it is: a key wrapped under one name cannot be unwrapped under another. */
export type KeyName = readonly [accountId: string, domain: string, selector: string];

/**
 * Encrypts stored private keys: AES-256-GCM under a key of its own, derived from a secret (HKDF, RFC 5869). Keys wrapped under a former
 * secret can still be unwrapped, so that changing the secret loses none.
 */
export class KeyVault {
  private readonly key: Buffer;
  private readonly former: Buffer[];

  constructor(secret: string, former: readonly string[] = []) {
    this.key = deriveKey(secret);
    this.former = [...new Set(former)].filter((one) => one !== secret).map(deriveKey);
  }

  /** Whether any key may be wrapped under another secret than the current one. */
  get hasFormer(): boolean {
    return this.former.length > 0;
  }

  wrap(privateKey: Buffer, name: KeyName): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, iv).setAAD(aad(name));
    const sealed = Buffer.concat([cipher.update(privateKey), cipher.final()]);
    return Buffer.concat([Buffer.from([FORMAT_VERSION]), iv, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** Undefined if the key was wrapped under an unknown secret or for another name, or was altered. */
  unwrap(wrapped: string, name: KeyName): Buffer | undefined {
    return decrypt(this.key, wrapped, name) ?? this.unwrapByFormer(wrapped, name);
  }

  /** The same key wrapped under the current secret; unchanged if it already is, or if no known secret opens it. */
  rewrap(wrapped: string, name: KeyName): string {
    const before = decrypt(this.key, wrapped, name) ? undefined : this.unwrapByFormer(wrapped, name);
    return before ? this.wrap(before, name) : wrapped;
  }

  private unwrapByFormer(wrapped: string, name: KeyName): Buffer | undefined {
    for (const key of this.former) {
      const found = decrypt(key, wrapped, name);
      if (found) return found;
    }
    return undefined;
  }
}

function deriveKey(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', KEY_PURPOSE, 32));
}

function decrypt(key: Buffer, wrapped: string, name: KeyName): Buffer | undefined {
  const bytes = Buffer.from(wrapped, 'base64url');
  if (bytes[0] !== FORMAT_VERSION || bytes.length <= 1 + IV_BYTES + TAG_BYTES) return undefined;
  const [iv, tag] = [bytes.subarray(1, 1 + IV_BYTES), bytes.subarray(1 + IV_BYTES, 1 + IV_BYTES + TAG_BYTES)];
  try {
    const opener = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
    opener.setAAD(aad(name)).setAuthTag(tag);
    return Buffer.concat([opener.update(bytes.subarray(1 + IV_BYTES + TAG_BYTES)), opener.final()]);
  } catch {
    return undefined;
  }
}

function aad(name: KeyName): Buffer {
  return Buffer.from(JSON.stringify(name));
}
