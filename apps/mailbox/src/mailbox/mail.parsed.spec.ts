import { parseMime } from './mail.parsed';

const HEAD = 'From: a@b.example\r\nSubject: Hello\r\n';
const BODY = Buffer.alloc(6_000_000, 7).toString('base64').replace(/.{76}/g, '$&\r\n');

describe('a mail of many lines', () => {
  it.each([
    ['is short', 'x\r\n'],
    ['is as long as in a text', `${'lorem ipsum '.repeat(6)}\r\n`],
  ])('is shown without its parts if each line %s', async (_, line) => {
    const mime = await parseMime(Buffer.from(`${HEAD}\r\n${line.repeat(100_000)}`));
    expect(mime.subject).toBe('Hello');
    expect(mime.text).toBeFalsy();
    expect(mime.attachments).toEqual([]);
  });

  it('is shown with its files, although they have more lines', async () => {
    const type = 'Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n';
    const { attachments } = await parseMime(Buffer.from(`${HEAD}${type}\r\n${BODY}\r\n`));
    expect(attachments.map(({ content }) => (content as ArrayBuffer).byteLength)).toEqual([6_000_000]);
  });

  it('is shown with a text of 10,000 lines', async () => {
    const mime = await parseMime(Buffer.from(`${HEAD}\r\n${'x\r\n'.repeat(10_000)}`));
    expect(mime.text).toHaveLength(20_000);
  });
});
