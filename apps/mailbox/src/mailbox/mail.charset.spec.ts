import { parseMime, parsedMail, summaryOf } from './mail.parsed';

const SAID = '“Price” – 5 € … it’s';
const BYTES = Buffer.from('\x93Price\x94 \x96 5 \x80 \x85 it\x92s', 'latin1');
const WORD = `=?windows-1252?B?${BYTES.toString('base64')}?=`;
const ENVELOPE = { from: 'a@b.example', to: ['c@d.example'] } as Parameters<typeof parsedMail>[0]['envelope'];
const KEPT = { id: 'i', envelope: ENVELOPE, receivedAt: 0, size: 1 };

const mailOf = (charset: string, body: Buffer) =>
  Buffer.concat([
    Buffer.from(
      `From: ${WORD} <a@b.example>\r\nSubject: ${WORD}\r\nX-Note: ${WORD}\r\nContent-Type: text/plain; charset=${charset}\r\n` +
        'Content-Transfer-Encoding: 8bit\r\n\r\n',
    ),
    body,
  ]);

describe('a mail in windows-1252', () => {
  it.each(['windows-1252', 'iso-8859-1', 'us-ascii', 'no-such-charset'])(
    'is shown with its quotes, dashes and euros, as mail programs show it: charset=%s',
    async (charset) => {
      const shown = parsedMail(KEPT, await parseMime(mailOf(charset, BYTES)));
      expect(shown.text?.trim()).toBe(SAID);
      expect(shown.from).toEqual({ email: 'a@b.example', name: SAID });
      expect(shown.subject).toBe(SAID);
      expect(shown.headers.find(({ name }) => name === 'X-Note')?.value).toBe(SAID);
    },
  );

  it('is shown so in the list, too', async () => {
    expect(await summaryOf(KEPT, mailOf('utf-8', Buffer.alloc(0)))).toMatchObject({ subject: SAID, from_name: SAID });
  });

  it('leaves mails in other charsets as they are', async () => {
    const { text } = await parseMime(mailOf('utf-8', Buffer.from(`${SAID} \u0080`)));
    expect(text?.trim()).toBe(`${SAID} \u0080`);
    expect((await parseMime(mailOf('windows-1251', Buffer.from([0x80, 0xe9])))).text?.trim()).toBe('Ђй');
  });
});
