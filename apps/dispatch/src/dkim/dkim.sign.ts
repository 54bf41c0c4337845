import { sign, type KeyObject } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { Slots } from '@lettermill/concurrency';
import type { MailBody } from '../mime/mime.body';
import { RelaxedBody } from './dkim.body';
import { relaxedField, relaxedFields, signedPart } from './dkim.header';
import { signedData, signedField, unsignedField, type DkimAlgorithm, type SignatureTerms } from './dkim.signature';
import { SIGNING_SLOTS } from './signing.slots';

/** A key that signs, and where its public half is published. */
export interface SigningKey {
  algorithm: DkimAlgorithm;
  /** A-labels. */
  domain: string;
  selector: string;
  key: KeyObject;
}

const END_OF_HEADER = Buffer.from('\r\n\r\n');
/** A long mail is hashed in turns of this many bytes, so that other work gets its turn. */
const TURN_BYTES = 256 * 1024;

const slots = new Slots(SIGNING_SLOTS);

/**
 * The mail with a signature by each key before its other fields. The same mail, keys and time give the same bytes. Rejects if a key cannot
 * sign.
 */
export async function signMail(body: MailBody, keys: readonly SigningKey[], at: number): Promise<MailBody> {
  const { head, bodyHash } = await digestOf(body);
  const { names, texts } = signedPart(relaxedFields(head));
  const header = texts.map((text) => `${text}\r\n`).join('');
  const time = Math.floor(at / 1000);
  const fields = keys.map(async ({ key, ...where }) => {
    const terms: SignatureTerms = { ...where, time, names, bodyHash };
    const unsigned = unsignedField(terms);
    const signature = await slots.run(() => signatureOf(terms.algorithm, header + relaxedField(unsigned).text, key));
    return signedField(unsigned, signature);
  });
  return body.withHeader((await Promise.all(fields)).join(''));
}

/** The header of a mail, one character per byte, and the hash of its body. */
async function digestOf(body: MailBody): Promise<{ head: string; bodyHash: Buffer }> {
  const hash = new RelaxedBody();
  let head: Buffer | undefined;
  let begin: Buffer = Buffer.alloc(0);
  let bytesInTurn = 0;
  for (const chunk of body.chunks()) {
    if (head) hash.update(chunk);
    else {
      begin = begin.length === 0 ? chunk : Buffer.concat([begin, chunk]);
      const end = begin.indexOf(END_OF_HEADER);
      if (end < 0) continue;
      head = begin.subarray(0, end + 2);
      hash.update(begin.subarray(end + END_OF_HEADER.length));
    }
    bytesInTurn += chunk.length;
    if (bytesInTurn < TURN_BYTES) continue;
    bytesInTurn = 0;
    await turn();
  }
  return { head: (head ?? begin).toString('latin1'), bodyHash: hash.digest() };
}

/** Signs in libuv's pool, off the event loop. */
function signatureOf(algorithm: DkimAlgorithm, header: string, key: KeyObject): Promise<Buffer> {
  const { hash, data } = signedData(algorithm, Buffer.from(header, 'latin1'));
  return new Promise((resolve, reject) => {
    sign(hash, data, key, (error, signature) => (error ? reject(error) : resolve(signature)));
  });
}
