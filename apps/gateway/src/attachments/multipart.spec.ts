import type { BlobStore } from '@lettermill/blobs';
import type { Problem } from '@lettermill/problems';
import { StoreUnavailable } from '@lettermill/storage';
import fastify from 'fastify';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { acceptMultipart, readMultipart } from './multipart';
import { PartHeads } from './part.heads';

/** Small files do not call the store before they are committed. */
const NO_STORE = {} as BlobStore;

const FILE = '--bb\r\nContent-Disposition: form-data; name="f"; filename="f.txt"\r\n\r\nx\r\n';
const JSON_PART = '--bb\r\nContent-Disposition: form-data; name="json"\r\n\r\n{}\r\n--bb--\r\n';

/** Sends a body; resolves to the number of files read, or to the refusal. */
async function read(payload: string | Readable, maxBytes = 1024 * 1024, store = NO_STORE): Promise<unknown> {
  const app = fastify();
  await acceptMultipart(app, '/');
  app.post('/', async (request) => {
    const reading = readMultipart(request, 'a', store, maxBytes);
    const outcome = await reading.catch(({ code, message, faults }: Problem) => ({ code, message, faults }));
    await finished(request.raw);
    return 'files' in outcome ? outcome.files.length : outcome;
  });
  const answer = await app.inject({
    method: 'POST',
    url: '/',
    payload,
    headers: { 'content-type': 'multipart/form-data; boundary=bb' },
  });
  await app.close();
  return answer.json();
}

/** A body that arrives line by line: each part has been read before the next boundary is there. */
async function* byLine(text: string): AsyncGenerator<Buffer> {
  for (const line of text.split(/(?<=\n)/)) {
    yield Buffer.from(line);
    await pause(5);
  }
}

describe('a multipart body', () => {
  it('has 1024 parts at most', async () => {
    expect(await read(FILE.repeat(1023) + JSON_PART)).toBe(1023);
    expect(await read(FILE.repeat(1024) + JSON_PART)).toMatchObject({
      code: 'validation_failed',
      faults: [{ pointer: '', code: 'too_many', detail: 'at most 1024 parts' }],
    });
  });

  it('is searched for parts only until it is refused, however much of it follows', async () => {
    const searched = jest.spyOn(PartHeads.prototype, 'add');
    async function* refusedAtOnce(): AsyncGenerator<Buffer> {
      yield Buffer.from('\r\n--bb'.repeat(1026));
      for (let more = 0; more < 50; more += 1) {
        await pause(1);
        yield Buffer.from('\r\n--bb');
      }
    }
    expect(await read(Readable.from(refusedAtOnce()))).toMatchObject({ code: 'validation_failed' });
    expect(searched.mock.calls.length).toBeLessThan(50);
    searched.mockRestore();
  });

  it('may have as many bytes as the limit says, with and without a Content-Length, wherever they are', async () => {
    for (const body of [FILE + JSON_PART, `before\r\n${FILE}${JSON_PART}`, `${FILE}${JSON_PART}behind`]) {
      const atOnce = (text: string) => Readable.from([Buffer.from(text)]);
      for (const payload of [(text: string) => text, atOnce, (text: string) => Readable.from(byLine(text))]) {
        expect(await read(payload(body), body.length)).toBe(1);
        expect(await read(payload(body), body.length - 1)).toMatchObject({ code: 'body_too_large' });
      }
    }
  });

  it.each([
    ['unavailable', new StoreUnavailable('away')],
    ['out of space', Object.assign(new Error('full'), { code: 'ENOSPC', syscall: 'write' })],
  ])('is not to blame if the store is %s, and leaves no files', async (_how, fault) => {
    let left = 0;
    const draft = async (_account: string, content: AsyncIterable<Buffer>) => {
      if (left > 0) throw fault;
      for await (const chunk of content) left += chunk.length;
      return { discard: () => Promise.resolve((left = 0)) };
    };
    const large = FILE.replace('\r\nx', `\r\n${'x'.repeat(5_000)}`);
    const outcome = await read(large + large + JSON_PART, undefined, { draft } as unknown as BlobStore);
    expect(outcome).toMatchObject({ message: fault.message });
    expect(left).toBe(0);
  });
});
