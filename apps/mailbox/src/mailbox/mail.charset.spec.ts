import { parseMime, parsedMail, summaryOf } from './mail.parsed';

const TEXT = '“Price” – 5 € … it’s';
const TEXT_BYTES = Buffer.from('\x93Price\x94 \x96 5 \x80 \x85 it\x92s', 'latin1');
const ENCODED_WORD = `=?windows-1252?B?${TEXT_BYTES.toString('base64')}?=`;
const ENVELOPE = { from: 'a@b.example', to: ['c@d.example'] } as Parameters<typeof parsedMail>[0]['envelope'];
const STORED_MAIL = { id: 'i', envelope: ENVELOPE, receivedAt: 0, size: 1 };

const mailOf = (charset: string, body: Buffer) =>
  Buffer.concat([
    Buffer.from(
      `From: ${ENCODED_WORD} <a@b.example>\r\nSubject: ${ENCODED_WORD}\r\nX-Note: ${ENCODED_WORD}\r\nContent-Type: text/plain; charset=${charset}\r\n` +
        'Content-Transfer-Encoding: 8bit\r\n\r\n',
    ),
    body,
  ]);

describe('a mail in windows-1252', () => {
  it.each(['windows-1252', 'iso-8859-1', 'us-ascii', 'no-such-charset'])(
    'is shown with its quotes, dashes and euros, as mail programs show it: charset=%s',
    async (charset) => {
      const shown = parsedMail(STORED_MAIL, await parseMime(mailOf(charset, TEXT_BYTES)));
      expect(shown.text?.trim()).toBe(TEXT);
      expect(shown.from).toEqual({ email: 'a@b.example', name: TEXT });
      expect(shown.subject).toBe(TEXT);
      expect(shown.headers.find(({ name }) => name === 'X-Note')?.value).toBe(TEXT);
    },
  );

  it('is shown so in the list, too', async () => {
    expect(await summaryOf(STORED_MAIL, mailOf('utf-8', Buffer.alloc(0)))).toMatchObject({
      subject: TEXT,
      from_name: TEXT,
    });
  });

  it('leaves mails in other charsets as they are', async () => {
    const { text } = await parseMime(mailOf('utf-8', Buffer.from(`${TEXT} \u0080`)));
    expect(text?.trim()).toBe(`${TEXT} \u0080`);
    expect((await parseMime(mailOf('windows-1251', Buffer.from([0x80, 0xe9])))).text?.trim()).toBe('Ђй');
  });
});
