import { ContentLost, type BlobStore } from '@lettermill/blobs';
import type { Mail } from '@lettermill/events';
import { MailContents } from './mail.contents';

const LARGEST = Buffer.alloc(10 * 1024 * 1024);

/** A mail with only these files. */
const mailOf = (...blobs: string[]) => {
  const rest = { content_type: 'text/plain', file_name: 'a.txt' };
  return { attachments: blobs.map((blob) => ({ ...rest, blob, size: LARGEST.length })) } as unknown as Mail;
};

describe('what a mail refers to', () => {
  let asked: string[];
  const storeOf = (bytesOf: (blob: string) => Buffer | undefined) => {
    const get = async (accountId: string, blob: string) => {
      asked.push(`${accountId} ${blob}`);
      await new Promise(setImmediate);
      return bytesOf(blob);
    };
    return new MailContents({ get } as unknown as BlobStore);
  };
  beforeEach(() => {
    asked = [];
  });

  it('is at hand however much other mails that are loaded beside it hold', async () => {
    const contents = storeOf(() => LARGEST);
    const mails = Array.from({ length: 20 }, (_, number) => contents.load('a', mailOf(`file ${number}`)));
    for (const { attachments } of await Promise.all(mails)) expect(attachments[0]!.bytes).toBe(LARGEST);
    expect(asked).toHaveLength(20);
  });

  it('is fetched once for all recipients of a campaign, and of each account by itself', async () => {
    const contents = storeOf(() => LARGEST);
    await Promise.all([contents.load('a', mailOf('one', 'two')), contents.load('a', mailOf('one'))]);
    await contents.load('a', mailOf('two', 'one'));
    await contents.load('b', mailOf('one'));
    expect(asked).toEqual(['a one', 'a two', 'b one']);
  });

  it('is text where it is a body', async () => {
    const contents = storeOf((blob) => Buffer.from(`of ${blob}: ä`));
    const body = (blob: string) => ({ blob, size: 10 });
    const mail = { ...mailOf(), text: body('text'), html: body('html') };
    expect(await contents.load('a', mail)).toMatchObject({ text: 'of text: ä', html: 'of html: ä' });
    expect(await contents.load('a', { ...mail, text: 'as it is' })).toMatchObject({ text: 'as it is' });
  });

  it('is said to be lost where it is not in the store', async () => {
    const contents = storeOf(() => undefined);
    await expect(contents.load('a', mailOf('gone'))).rejects.toBeInstanceOf(ContentLost);
  });
});
