import { ContentLost, type BlobStore } from '@lettermill/blobs';
import type { Mail } from '@lettermill/events';
import { MailContents } from './mail.contents';

const LARGEST_FILE = Buffer.alloc(10 * 1024 * 1024);

/** A mail with only these files. */
const mailOf = (...blobs: string[]) => {
  const rest = { content_type: 'text/plain', file_name: 'a.txt' };
  return { attachments: blobs.map((blob) => ({ ...rest, blob, size: LARGEST_FILE.length })) } as unknown as Mail;
};

describe('the files and bodies of a mail', () => {
  let loadedBlobs: string[];
  const storeOf = (bytesOf: (blob: string) => Buffer | undefined) => {
    const get = async (accountId: string, blob: string) => {
      loadedBlobs.push(`${accountId} ${blob}`);
      await new Promise(setImmediate);
      return bytesOf(blob);
    };
    return new MailContents({ get } as unknown as BlobStore);
  };
  beforeEach(() => {
    loadedBlobs = [];
  });

  it('are loaded whatever the size of other mails loaded at the same time', async () => {
    const contents = storeOf(() => LARGEST_FILE);
    const mails = Array.from({ length: 20 }, (_, number) => contents.load('a', mailOf(`file ${number}`)));
    for (const { attachments } of await Promise.all(mails)) expect(attachments[0]!.bytes).toBe(LARGEST_FILE);
    expect(loadedBlobs).toHaveLength(20);
  });

  it('are fetched once for all recipients of a campaign, and separately per account', async () => {
    const contents = storeOf(() => LARGEST_FILE);
    await Promise.all([contents.load('a', mailOf('one', 'two')), contents.load('a', mailOf('one'))]);
    await contents.load('a', mailOf('two', 'one'));
    await contents.load('b', mailOf('one'));
    expect(loadedBlobs).toEqual(['a one', 'a two', 'b one']);
  });

  it('are text if they are bodies', async () => {
    const contents = storeOf((blob) => Buffer.from(`of ${blob}: ä`));
    const body = (blob: string) => ({ blob, size: Buffer.byteLength(`of ${blob}: ä`) });
    const mail = { ...mailOf(), text: body('text'), html: body('html') };
    expect(await contents.load('a', mail)).toMatchObject({ text: 'of text: ä', html: 'of html: ä' });
    expect(await contents.load('a', { ...mail, text: 'as it is' })).toMatchObject({ text: 'as it is' });
  });

  it('are reported as lost if they are not in the store', async () => {
    const contents = storeOf(() => undefined);
    await expect(contents.load('a', mailOf('gone'))).rejects.toBeInstanceOf(ContentLost);
  });
});
