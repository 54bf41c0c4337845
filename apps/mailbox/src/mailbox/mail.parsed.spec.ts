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

  it('is shown without its parts if it has more lines than the largest files that are sent, however they look', async () => {
    const mime = await parseMime(Buffer.from(`${HEAD}\r\n${`${'x'.repeat(76)}\r\n`.repeat(280_000)}`));
    expect(mime).toMatchObject({ subject: 'Hello', attachments: [] });
    expect(mime.text).toBeFalsy();
  });

  it('is shown with its files, although they have more lines', async () => {
    const type = 'Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n';
    const { attachments } = await parseMime(Buffer.from(`${HEAD}${type}\r\n${BODY}\r\n`));
    expect(attachments.map(({ content }) => (content as ArrayBuffer).byteLength)).toEqual([6_000_000]);
  });

  it('is shown as a file if it is part of another, where its lines are hidden by an encoding', async () => {
    const inner = Buffer.from(`Subject: inner\r\n\r\n${'x\n'.repeat(200_000)}`);
    const type = 'Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n';
    const encoded = inner.toString('base64').replace(/.{76}/g, '$&\r\n');
    const { text, attachments } = await parseMime(Buffer.from(`${HEAD}${type}\r\n${encoded}\r\n`));
    expect(text).toBeFalsy();
    expect(attachments).toMatchObject([{ mimeType: 'message/rfc822' }]);
    expect(Buffer.from(attachments[0]!.content as ArrayBuffer)).toEqual(inner);
  });

  it('is shown with a text of 10,000 lines', async () => {
    const mime = await parseMime(Buffer.from(`${HEAD}\r\n${'x\r\n'.repeat(10_000)}`));
    expect(mime.text).toHaveLength(20_000);
  });
});

describe('a mail of long headers', () => {
  const withHeaders = (bytes: number) => parseMime(Buffer.from(`${HEAD}To: ${'g:'.repeat(bytes / 2)}\r\n\r\nx`));

  it('is shown if ours could have them', async () => {
    expect(await withHeaders(220 * 1024)).toMatchObject({ subject: 'Hello', text: 'x\n' });
  });

  it('is shown without them if reading them would keep all others waiting', async () => {
    expect(await withHeaders(256 * 1024)).toEqual({ headers: [], headerLines: [], attachments: [] });
  });
});
