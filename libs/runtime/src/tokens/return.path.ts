import { createHmac, timingSafeEqual } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { isId } from '@lettermill/contract';
import { fromBase32, toBase32 } from './base32';

/** Identifies a message by its account and id. */
export interface MessageName {
  accountId: string;
  messageId: string;
}

/** The domain of RETURN_PATH (null if bounces go to the sender's address), and the secret that signs addresses on it. */
export interface ReturnPathTerms {
  returnPath: string | null;
  internalSecret: string | null;
  /** The previous secret: addresses signed with it are valid, but new ones are not signed with it. */
  formerInternalSecret?: string | null;
}

/** The account of the first key, and so far the only one. Its return paths do not name it. */
export const DEFAULT_ACCOUNT = 'default';
const LOCAL_PART_PREFIX = 'bounce+';
const ID_BYTES = 14;
const ID_ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Octets of the signature. A local part has at most 64 octets; with the account's id in it, 7 are left for the signature. */
const SIGNATURE_BYTES = { alone: 10, withAccount: 7 } as const;

function packId(id: string): Buffer {
  let number = 0n;
  for (const letter of id) number = number * 62n + BigInt(ID_ALPHABET.indexOf(letter));
  return Buffer.from(number.toString(16).padStart(ID_BYTES * 2, '0'), 'hex');
}

function unpackId(bytes: Buffer): string | undefined {
  let number = BigInt(`0x${bytes.toString('hex')}`);
  let id = '';
  for (let letters = 0; letters < 18; letters += 1) {
    id = ID_ALPHABET[Number(number % 62n)] + id;
    number /= 62n;
  }
  return number === 0n ? id : undefined;
}

function signature(secret: string, name: MessageName, length: number): Buffer {
  const text = JSON.stringify(['return-path', name.accountId, name.messageId]);
  return createHmac('sha256', secret).update(text).digest().subarray(0, length);
}

/**
 * The envelope sender of a message: its account and id, signed. Null if there is no return path, or if account or id are not of
 * the form that fits into an address.
 */
export function returnPathOf({ returnPath, internalSecret }: ReturnPathTerms, name: MessageName): string | null {
  if (!returnPath || !internalSecret || !isId(name.messageId)) return null;
  const isDefaultAccount = name.accountId === DEFAULT_ACCOUNT;
  if (!isDefaultAccount && !isId(name.accountId)) return null;
  const idBytes = isDefaultAccount
    ? packId(name.messageId)
    : Buffer.concat([packId(name.messageId), packId(name.accountId)]);
  const signed = signature(
    internalSecret,
    name,
    isDefaultAccount ? SIGNATURE_BYTES.alone : SIGNATURE_BYTES.withAccount,
  );
  return `${LOCAL_PART_PREFIX}${toBase32(Buffer.concat([idBytes, signed]))}@${returnPath}`;
}

/**
 * The message that a return path of ours names; `forged` if it has no valid signature of ours; null if the address is no return
 * path of ours. The domain may be in U-labels, which the mailbox and other servers write.
 */
export function readReturnPath(
  { returnPath, internalSecret, formerInternalSecret }: ReturnPathTerms,
  address: string,
): MessageName | 'forged' | null {
  const at = address.lastIndexOf('@');
  if (!returnPath || !internalSecret || domainToASCII(address.slice(at + 1)) !== returnPath) return null;
  const local = address.slice(0, at);
  if (local.slice(0, LOCAL_PART_PREFIX.length).toLowerCase() !== LOCAL_PART_PREFIX) return null;
  const bytes = local.length > 64 ? undefined : fromBase32(local.slice(LOCAL_PART_PREFIX.length));
  const name = bytes && readMessageName(bytes);
  if (!bytes || !name) return 'forged';
  const given = bytes.subarray(name.accountId === DEFAULT_ACCOUNT ? ID_BYTES : 2 * ID_BYTES);
  const signedWith = (secret: string) => timingSafeEqual(given, signature(secret, name, given.length));
  return signedWith(internalSecret) || (formerInternalSecret && signedWith(formerInternalSecret)) ? name : 'forged';
}

function readMessageName(bytes: Buffer): MessageName | undefined {
  const isDefaultAccount = bytes.length === ID_BYTES + SIGNATURE_BYTES.alone;
  if (!isDefaultAccount && bytes.length !== 2 * ID_BYTES + SIGNATURE_BYTES.withAccount) return undefined;
  const messageId = unpackId(bytes.subarray(0, ID_BYTES));
  const accountId = isDefaultAccount ? DEFAULT_ACCOUNT : unpackId(bytes.subarray(ID_BYTES, 2 * ID_BYTES));
  return messageId === undefined || accountId === undefined ? undefined : { accountId, messageId };
}
