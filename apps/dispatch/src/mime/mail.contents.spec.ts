import { createHash } from 'node:crypto';
import { ContentLost, type BlobStore } from '@lettermill/blobs';
import type { Mail } from '@lettermill/events';
import { MailContents } from './mail.contents';

/** A file of the largest size that begins like this. */
const fileOf = (name: string) => Buffer.alloc(10 * 1024 * 1024, name);
const blobOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('the files and bodies of a mail', () => {
  const [one, two] = [fileOf('one'), fileOf('two')];
  let stored: Map<string, Buffer>;
  let loaded: string[];
  let contents: MailContents;
  const store = (bytes: Buffer) => {
    stored.set(blobOf(bytes), bytes);
    return { blob: blobOf(bytes), size: bytes.length };
  };
  /** A mail with only these files. */
  const mailOf = (...files: Buffer[]) => {
    const attachments = files.map((bytes) => ({ ...store(bytes), content_type: 'text/plain', file_name: 'a.txt' }));
    return { attachments } as unknown as Mail;
  };
  beforeEach(() => {
    stored = new Map();
    loaded = [];
    const get = async (accountId: string, blob: string) => {
      loaded.push(`${accountId} ${blob}`);
      await new Promise(setImmediate);
      return stored.get(blob);
    };
    contents = new MailContents({ get } as unknown as BlobStore);
  });

  it('are loaded whatever the size of other mails loaded at the same time', async () => {
    const files = Array.from({ length: 20 }, (_, number) => fileOf(`file ${number},`));
    const mails = await Promise.all(files.map((file) => contents.load('a', mailOf(file))));
    for (const [at, { attachments }] of mails.entries()) expect(attachments[0]!.bytes.equals(files[at]!)).toBe(true);
    expect(loaded).toHaveLength(20);
  });

  it('are fetched once for all recipients of a campaign, and separately per account', async () => {
    await Promise.all([contents.load('a', mailOf(one, two)), contents.load('a', mailOf(one))]);
    await contents.load('a', mailOf(two, one));
    await contents.load('b', mailOf(one));
    expect(loaded).toEqual([`a ${blobOf(one)}`, `a ${blobOf(two)}`, `b ${blobOf(one)}`]);
  });

  it('are text if they are bodies', async () => {
    const mail = { ...mailOf(), text: store(Buffer.from('of text: ä')), html: store(Buffer.from('of html: ä')) };
    expect(await contents.load('a', mail)).toMatchObject({ text: 'of text: ä', html: 'of html: ä' });
    expect(await contents.load('a', { ...mail, text: 'as it is' })).toMatchObject({ text: 'as it is' });
  });

  it('are reported as lost if they are not in the store', async () => {
    const mail = mailOf(one);
    stored.clear();
    await expect(contents.load('a', mail)).rejects.toBeInstanceOf(ContentLost);
  });

  it('are refused if they are not what was stored', async () => {
    const mail = mailOf(one);
    stored.set(blobOf(one), two);
    await expect(contents.load('a', mail)).rejects.toMatchObject({ code: 'content_damaged' });
  });
});
