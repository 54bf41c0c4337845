import type { BlobStore } from '@lettermill/blobs';
import { recipientsOf, type SendEmailRequest } from '@lettermill/contract';
import { Attachments } from './attachments';
import type { UploadedFile } from './request.files';
import { UrlFetches } from './url.fetches';
import { FetchRefused } from './fetch.refused';
import type { UrlFiles } from './url.files';
import type { UrlSource } from './url.source';

const MIB = 1024 * 1024;
const noWork = () => Promise.resolve();
const unread = () => Promise.reject(new Error('a send call does not read its files'));

const file = (name: string) => ({
  attachment_type: 'url' as const,
  file_name: 'f',
  data: `https://files.example/${name}`,
});
const request = (...names: string[]): SendEmailRequest => ({
  campaign: 'order',
  to: 'a@example.com',
  attachments: names.map(file),
});

/** Serves files of as many bytes as their name says; for the names in `instead` it throws that error. */
function newAttachments(instead: Record<string, () => Error>) {
  const drafts = new Set<number>();
  const blobs = {
    draft: async (_account: string, bytes: AsyncIterable<Buffer>) => {
      let size = 0;
      for await (const chunk of bytes) size += chunk.length;
      const id = Math.random();
      drafts.add(id);
      const discard = () => Promise.resolve(void drafts.delete(id));
      return { blob: 'x', size, read: unread, commit: () => Promise.resolve(), discard };
    },
  };
  const open = async (address: string) => {
    await Promise.resolve();
    const name = address.split('/').pop()!;
    if (instead[name]) throw instead[name]();
    const body = (async function* () {
      yield await Promise.resolve(Buffer.alloc(Number(name)));
    })();
    return { contentType: 'a/b', body };
  };
  const urls = { open } as Pick<UrlSource, 'open'>;
  const attachments = new Attachments(
    blobs as unknown as BlobStore,
    new UrlFetches(urls, blobs) as unknown as UrlFiles,
  );
  /** Servers that never answer, with `ms` for all files of a request; counts the addresses asked: in all, now, and most at a time. */
  const tarpit = (ms: number) => {
    const asked = { all: 0, now: 0, most: 0 };
    const never = (_address: string, _most: number, ending: AbortSignal) =>
      new Promise<never>((_resolve, reject) => {
        asked.all += 1;
        asked.most = Math.max(asked.most, (asked.now += 1));
        ending.addEventListener('abort', () => {
          asked.now -= 1;
          reject(new FetchRefused('attachment_fetch_failed', 'too late'));
        });
      });
    Object.assign(attachments, { urls: new UrlFetches({ open: never }, blobs, ms) });
    return asked;
  };
  const find = (body: SendEmailRequest, campaignBytes = 0, uploads?: UploadedFile[]) =>
    attachments.find(
      { accountId: 'a', body, recipients: recipientsOf(body), uploads },
      { bytes: campaignBytes, cids: [] },
    );
  return { find, drafts, tarpit };
}

describe('files in the request', () => {
  const FILE_REF = '6f1c1f0e-8a3e-4c1f-9a52-0d6f2f1b7c11';
  const committed: string[] = [];
  const upload = (part: string, fileName: string, contentType?: string): UploadedFile => {
    const blob = `blob of ${part}`;
    const commit = () => Promise.resolve(void committed.push(part));
    return {
      part,
      fileName,
      contentType,
      draft: { blob, size: part.length, read: unread, commit, discard: () => Promise.resolve() },
    };
  };
  const put = (account: string, bytes: Buffer) =>
    Promise.resolve({ blob: `${account}: ${bytes.toString()}`, size: bytes.length });
  const attachments = new Attachments({ put } as unknown as BlobStore, undefined as never);
  const uploads = [upload(FILE_REF, 'a.pdf'), upload('auto', 'b.csv', 'text/x-own')];
  const partA = { blob: `blob of ${FILE_REF}`, size: 36 };
  const auto = { blob: 'blob of auto', size: 4, file_name: 'b.csv', content_type: 'text/x-own' };

  it('are stored by level: those of the request with the parts that nothing names, each part once', async () => {
    const named = { file_ref: FILE_REF, file_name: 'mine', cid: 'logo' };
    const inline = { attachment_type: 'file' as const, file_name: 'i.txt', data: 'QQ==', cid: 'seal' };
    const to = [{ contact_key: 'a@example.com', attachments: [named, inline] }, 'b@example.com'];
    const body: SendEmailRequest = { campaign: 'order', to, attachments: [{ file_ref: FILE_REF }] };
    const recipients = recipientsOf(body);
    const files = await attachments.find({ accountId: 'a', body, recipients, uploads }, { bytes: 0, cids: [] });
    expect(files.faults).toEqual([]);
    expect(files.drafts).toEqual(uploads.map(({ draft }) => draft));
    expect(await files.storeShared(body.attachments)).toEqual([
      { ...partA, file_name: 'a.pdf', content_type: 'application/pdf' },
      auto,
    ]);
    expect(await files.storeNamed(recipients[0]!.attachments)).toEqual([
      { ...partA, file_name: 'mine', content_type: 'text/plain', cid: 'logo' },
      { blob: 'a: A', size: 1, file_name: 'i.txt', content_type: 'text/plain', cid: 'seal' },
    ]);
    expect(await files.storeNamed(recipients[1]!.attachments)).toBeUndefined();
    expect(committed).toEqual([FILE_REF, 'auto']);
  });

  it('are also stored if the request has only such that nothing names, or none', async () => {
    const body: SendEmailRequest = { campaign: 'order', to: 'a@example.com' };
    const request = { accountId: 'a', body, recipients: recipientsOf(body) };
    const none = await attachments.find(request, { bytes: 0, cids: [] });
    expect(await none.storeShared(undefined)).toBeUndefined();
    const one = await attachments.find({ ...request, uploads: uploads.slice(1) }, { bytes: 0, cids: [] });
    expect(await one.storeShared(undefined)).toEqual([auto]);
  });
});

describe('fetched files', () => {
  it('are stored as the request names them, at every level', async () => {
    const { find } = newAttachments({});
    const to = { contact_key: 'a@example.com', attachments: [{ ...file('2'), file_name: 'own', cid: 'logo' }] };
    const body: SendEmailRequest = { ...request('1'), to };
    const files = await find(body);
    const stored = { blob: 'x', content_type: 'a/b' };
    expect(await files.storeShared(body.attachments)).toEqual([{ ...stored, size: 1, file_name: 'f' }]);
    expect(await files.storeNamed(to.attachments)).toEqual([{ ...stored, size: 2, file_name: 'own', cid: 'logo' }]);
  });

  it('leave no draft behind if the store fails midway', async () => {
    const gone = () => new FetchRefused('attachment_fetch_failed', 'gone');
    const { find, drafts } = newAttachments({ gone, broken: () => new Error('no space') });
    await expect(find(request('1', 'gone', 'broken', '2', '3', '4', '5'))).rejects.toThrow('no space');
    expect(drafts.size).toBe(0);
  });

  it('are refused each at its own pointer, and count together with the files of the campaign', async () => {
    const { find } = newAttachments({ gone: () => new FetchRefused('attachment_fetch_failed', 'gone') });
    const { faults } = await find(request('6000000', 'gone', '5000000'));
    expect(faults.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      '/attachments/1/data attachment_fetch_failed',
      '/attachments/2 attachments_too_large',
    ]);
    expect((await find(request('7'), 10 * 1024 * 1024 - 6)).faults).toHaveLength(1);
    expect((await find(request('6'), 10 * 1024 * 1024 - 6)).faults).toEqual([]);
    const draft = { size: 10 * 1024 * 1024 - 8 } as UploadedFile['draft'];
    const uploads = [{ part: 'auto', fileName: 'a.txt', contentType: undefined, draft }];
    expect((await find(request('7'), 1, uploads)).faults).toEqual([]);
    expect((await find(request('8'), 1, uploads)).faults).toMatchObject([{ code: 'attachments_too_large' }]);
  });

  it('are limited to 40 MiB per request: a file beyond that is reported and leaves no draft', async () => {
    const { find, drafts } = newAttachments({});
    const size = 9 * 1024 * 1024;
    // The fifth fetch began while the others were still running.
    const files = await find(request(...[0, 1, 2, 3, 4].map((more) => String(size + more))));
    const over = files.faults.filter(({ detail }) => detail.includes('41943040 bytes together'));
    expect(over.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      '/attachments/4/data attachments_too_large',
    ]);
    expect(drafts.size).toBe(4);
    await files.discard();
    expect(drafts.size).toBe(0);
  });

  it('may be exactly 40 MiB together, and one that is too large by itself is reported as such', async () => {
    const tooLarge = new FetchRefused('attachments_too_large', 'larger than a message may carry');
    const { find } = newAttachments({ huge: () => tooLarge });
    const own = (name: string) => ({ contact_key: `${name[0]}@example.com`, attachments: [file(name)] });
    const ten = ['a', 'b', 'c', 'd'].map((one) => own(`${one}/${10 * 1024 * 1024}`));
    expect((await find({ campaign: 'order', to: ten })).faults).toEqual([]);
    expect((await find(request('huge'))).faults.map(({ detail }) => detail)).toEqual([tooLarge.message]);
  });

  it('share one deadline per request: the remaining ones are not fetched, and each is reported', async () => {
    const { find, tarpit } = newAttachments({});
    const asked = tarpit(50);
    const { faults } = await find(request('1', '2', '3', '4', '5', '6', '7', '8', '9', '10'));
    expect(faults.map(({ code }) => code)).toEqual(Array(10).fill('attachment_fetch_failed'));
    expect(asked.all).toBe(4);
  });

  it('are fetched at most 64 at a time for all requests of an account', async () => {
    const { find, tarpit } = newAttachments({});
    const asked = tarpit(50);
    const found = await Promise.all(Array.from({ length: 30 }, () => find(request('1', '2', '3', '4'))));
    expect(found.flatMap(({ faults }) => faults)).toHaveLength(120);
    expect(asked.most).toBe(64);
  });

  it('do not wait for those of other requests any longer than until their own deadline', async () => {
    const ends: (() => void)[] = [];
    const open = () =>
      new Promise<never>((_resolve, reject) =>
        ends.push(() => reject(new FetchRefused('attachment_fetch_failed', 'gone'))),
      );
    const fetches = new UrlFetches({ open }, { draft: () => Promise.reject(new Error('unused')) }, 50);
    const others = Array.from({ length: 16 }, () => fetches.fetchAll('a', ['1', '2', '3', '4']));
    const outcomes = await fetches.fetchAll('a', ['5', '6', '7', '8', '9']);
    expect([...outcomes.values()].map((outcome) => (outcome as FetchRefused).code)).toEqual(
      Array(5).fill('attachment_fetch_failed'),
    );
    ends.forEach((end) => end());
    await Promise.all(others);
    expect(ends).toHaveLength(64);
  });

  it('are each read no further than a message may have, and than the request has left', async () => {
    const limits: number[] = [];
    const open = async (_address: string, maxBytes: number) => {
      limits.push(maxBytes);
      if (maxBytes < 9.5 * MIB) throw new FetchRefused('attachments_too_large', 'too large for what is left');
      const body = (async function* () {
        yield await Promise.resolve(Buffer.alloc(9.5 * MIB));
      })();
      return Promise.resolve({ contentType: 'a/b', body });
    };
    const draft = async (_account: string, bytes: AsyncIterable<Buffer>) => {
      for await (const chunk of bytes)
        return { blob: 'x', size: chunk.length, read: unread, commit: noWork, discard: noWork };
      throw new Error('empty');
    };
    // Four are fetched at a time: when the ninth begins, four have been counted.
    const outcomes = await new UrlFetches({ open }, { draft }).fetchAll('a', [...'123456789']);
    expect([limits[0], limits.at(-1)]).toEqual([10 * MIB, 2 * MIB]);
    expect(outcomes.get('9')).toMatchObject({ message: expect.stringContaining('41943040 bytes together') as unknown });
  });
});
