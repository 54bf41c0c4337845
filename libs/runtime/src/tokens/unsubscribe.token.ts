import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

/** The address that unsubscribes, and the message whose link it used. */
export interface Unsubscribe {
  accountId: string;
  messageId: string;
  address: string;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;
const MAX_TOKEN_LENGTH = 1000;

const keyOf = (secret: string) => createHmac('sha256', secret).update('unsubscribe: key').digest();

/** Derived from the content, so that the link of a mail is the same however often it is rendered, and different content has another IV. */
function ivOf(secret: string, text: string): Buffer {
  return createHmac('sha256', secret).update(`unsubscribe: ${text}`).digest().subarray(0, IV_BYTES);
}

/** A token for a link. It does not reveal the address, and nobody else can create one. */
export function unsubscribeToken(secret: string, { accountId, messageId, address }: Unsubscribe): string {
  const text = JSON.stringify([accountId, messageId, address]);
  const iv = ivOf(secret, text);
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret), iv);
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

/** Undefined if the token is not ours. */
export function readUnsubscribeToken(secret: string, token: string): Unsubscribe | undefined {
  if (token.length > MAX_TOKEN_LENGTH || !/^[A-Za-z0-9_-]+$/.test(token)) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length <= IV_BYTES + TAG_BYTES || bytes.toString('base64url') !== token) return undefined;
  try {
    const decipher = createDecipheriv('aes-256-gcm', keyOf(secret), bytes.subarray(0, IV_BYTES));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString(
      'utf8',
    );
    const [accountId, messageId, address] = JSON.parse(text) as [string, string, string];
    return { accountId, messageId, address };
  } catch {
    return undefined;
  }
}
