import type { BlobStore } from '@lettermill/blobs';
import type { Problem } from '@lettermill/problems';
import fastify from 'fastify';
import { acceptMultipart, readMultipart } from './multipart';

/** Small files do not call the store before they are committed. */
const NO_STORE = {} as BlobStore;

/** Sends a body with this many files beside the JSON; resolves to the number of files read, or to the refusal. */
async function read(files: number): Promise<unknown> {
  const app = fastify();
  await acceptMultipart(app);
  app.post('/', async (request) => {
    const reading = readMultipart(request, 'a', NO_STORE, 1024 * 1024);
    const outcome = await reading.catch(({ code, message }: Problem) => ({ code, message }));
    return 'files' in outcome ? outcome.files.length : outcome;
  });
  const file = '--bb\r\nContent-Disposition: form-data; name="f"; filename="f.txt"\r\n\r\nx\r\n';
  const json = '--bb\r\nContent-Disposition: form-data; name="json"\r\n\r\n{}\r\n--bb--\r\n';
  const answer = await app.inject({
    ...{ method: 'POST', url: '/', payload: file.repeat(files) + json },
    headers: { 'content-type': 'multipart/form-data; boundary=bb' },
  });
  await app.close();
  return answer.json();
}

describe('a multipart body', () => {
  it('has 1024 parts at most', async () => {
    expect(await read(1023)).toBe(1023);
    expect(await read(1024)).toEqual({
      code: 'multipart_malformed',
      message: 'The body has more than 1024 parts.',
    });
  });
});
