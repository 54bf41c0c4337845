import type { Attachment } from '@lettermill/contract';
import { RequestFiles, type FoundFile } from './request.files';

/** Files that the process may have open for this at a time, whatever its requests bring. */
const MAX_STORED_AT_ONCE = 256;

describe('the files of several requests', () => {
  it('are stored a limited number at a time, each of them, although one fails', async () => {
    let storing = 0;
    let most = 0;
    const store = async (blob: number) => {
      most = Math.max(most, (storing += 1));
      await new Promise(setImmediate);
      storing -= 1;
      if (blob === 0) throw new Error('the disk is full');
      return String(blob);
    };
    const requestWith = (blobs: number[]) => {
      const files = new RequestFiles();
      const attachments = blobs.map((blob) => {
        const attachment = {} as Attachment;
        const found: FoundFile = { size: 1, fileName: 'f', contentType: 'a/b', store: () => store(blob) };
        files.add(attachment, found);
        return attachment;
      });
      return files.storeNamed(attachments);
    };
    const blobs = Array.from({ length: 300 }, (_, at) => at + 1);
    const [failed, stored] = await Promise.allSettled([requestWith([0, ...blobs]), requestWith(blobs)]);
    expect(failed).toMatchObject({ reason: { message: 'the disk is full' } });
    expect(stored).toMatchObject({ value: blobs.map((blob) => ({ blob: String(blob) })) });
    expect(most).toBe(MAX_STORED_AT_ONCE);
  });
});
