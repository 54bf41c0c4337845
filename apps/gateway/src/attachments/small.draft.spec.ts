import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { BlobStore } from '@lettermill/blobs';
import { draftOf } from './small.draft';

/** A store that keeps what it is given, each with how it was given. */
function newStore() {
  const given: [how: string, bytes: string][] = [];
  const put = (account: string, bytes: Buffer) => Promise.resolve(given.push([`put ${account}`, bytes.toString()]));
  const draft = async (account: string, bytes: AsyncIterable<Buffer>) => {
    given.push([`draft ${account}`, (await buffer(bytes)).toString()]);
    return 'of the store';
  };
  return { given, blobs: { put, draft } as unknown as BlobStore };
}

async function* piecesOf(text: string): AsyncGenerator<Buffer> {
  for (const piece of text.match(/.{1,1000}/g) ?? []) yield await Promise.resolve(Buffer.from(piece));
}

describe('the draft of an uploaded file', () => {
  it.each(['', 'a', 'ab'.repeat(2048)])('of 4 KiB at most is given to the store when it is committed', async (text) => {
    const { given, blobs } = newStore();
    const draft = await draftOf('a', piecesOf(text), blobs);
    const blob = createHash('sha256').update(text).digest('hex');
    expect(draft).toMatchObject({ blob, size: text.length });
    await draft.discard();
    expect(given).toEqual([]);
    await draft.commit();
    expect(given).toEqual([['put a', text]]);
  });

  it('of more bytes is one of the store, with all of them', async () => {
    const { given, blobs } = newStore();
    const text = `${'ab'.repeat(2048)}c${'d'.repeat(3000)}`;
    expect(await draftOf('a', piecesOf(text), blobs)).toBe('of the store');
    expect(given).toEqual([['draft a', text]]);
  });
});
