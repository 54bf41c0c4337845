import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const PURPOSE = 'lettermill dkim private keys';

/** Whose key it is: what was wrapped for one opens for no other. */
export type KeyName = readonly [accountId: string, domain: string, selector: string];

/** Private keys at rest: AES-256-GCM under a key of their own, drawn from a secret (HKDF, RFC 5869). */
export class KeyVault {
  private readonly key: Buffer;

  constructor(secret: string) {
    this.key = Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, 32));
  }

  wrap(privateKey: Buffer, name: KeyName): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, iv).setAAD(aad(name));
    const sealed = Buffer.concat([cipher.update(privateKey), cipher.final()]);
    return Buffer.concat([Buffer.from([VERSION]), iv, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** Undefined where it was wrapped under another secret or for another name, or was changed. */
  unwrap(wrapped: string, name: KeyName): Buffer | undefined {
    const bytes = Buffer.from(wrapped, 'base64url');
    if (bytes[0] !== VERSION || bytes.length <= 1 + IV_BYTES + TAG_BYTES) return undefined;
    const [iv, tag] = [bytes.subarray(1, 1 + IV_BYTES), bytes.subarray(1 + IV_BYTES, 1 + IV_BYTES + TAG_BYTES)];
    try {
      const opener = createDecipheriv('aes-256-gcm', this.key, iv, { authTagLength: TAG_BYTES });
      opener.setAAD(aad(name)).setAuthTag(tag);
      return Buffer.concat([opener.update(bytes.subarray(1 + IV_BYTES + TAG_BYTES)), opener.final()]);
    } catch {
      return undefined;
    }
  }
}

function aad(name: KeyName): Buffer {
  return Buffer.from(JSON.stringify(name));
}
