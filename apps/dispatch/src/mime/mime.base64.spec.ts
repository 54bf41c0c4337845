import { base64Chunks } from './mime.base64';
import { MailBody } from './mime.body';

describe('a content as base64', () => {
  const content = Buffer.from('PDF'.repeat(40_000));
  const read = (bytes: Buffer, reader: object) => [...base64Chunks(bytes, reader)];
  /** Whether two readings gave the same buffers, that is, whether they are kept. */
  const areKept = (one: Buffer[], other: Buffer[]) => one.every((chunk, index) => chunk === other[index]);

  it('is not kept for one mail, however often that is read, and is for a second one', () => {
    const [bytes, first, second] = [Buffer.from(content), {}, {}];
    expect(areKept(read(bytes, first), read(bytes, first))).toBe(false);
    const kept = read(bytes, second);
    expect(areKept(kept, read(bytes, first))).toBe(true);
    expect(Buffer.concat(kept).toString('latin1').replaceAll('\r\n', '')).toBe(content.toString('base64'));
  });

  it('is not kept for a mail that is read to be signed, and then with its signature', () => {
    const base64 = Buffer.from(content);
    const mail = MailBody.of([Buffer.from('Subject: x\r\n\r\n'), { base64 }], false);
    const encodedIn = (body: MailBody) => [...body.chunks()].slice(1);
    const unsigned = encodedIn(mail);
    const signed = mail.withHeader('DKIM-Signature: v=1\r\n');
    expect(areKept(unsigned, encodedIn(signed))).toBe(false);
    expect(areKept(encodedIn(signed), encodedIn(signed))).toBe(false);
    const another = MailBody.of([Buffer.from('Subject: y\r\n\r\n'), { base64 }], false);
    expect(areKept(encodedIn(another), encodedIn(signed))).toBe(true);
  });
});
