import { parseMime } from './mail.parsed';

const HEAD = 'Subject: Hello\r\nContent-Type: application/pdf\r\n';
const mailOf = (body: string, encoding = 'base64') =>
  Buffer.from(`${HEAD}Content-Transfer-Encoding: ${encoding}\r\n\r\n${body}\r\n`);

async function bytesIn(mail: Buffer): Promise<Buffer> {
  const { attachments } = await parseMime(mail);
  expect(attachments).toHaveLength(1);
  return Buffer.from(attachments[0]!.content as ArrayBuffer);
}

/** What RFC 2045 says, unit by unit. */
const decoded = (body: string) =>
  Buffer.concat(
    body
      .replace(/[^A-Za-z0-9+/=]/g, '')
      .split('=')
      .map((unit) => Buffer.from(unit, 'base64')),
  );

describe('a part in base64', () => {
  it.each([
    ['whole', 'AAECA/7/+Pn6'],
    ['padded', 'AAECAwQ='],
    ['padded twice', 'AAECAw=='],
    ['without its padding', 'AAECAw'],
    ['cut within a byte', 'AAECA'],
    ['in lines that end anywhere', 'AA\r\nECA\r\nwQ\r\n='],
    ['padded in each line', 'AAECAw==\r\nAAECAwQ=\r\nAAEC'],
    ['padded within a line', 'AAECAw==AAECAwQ=AAEC'],
    ['padded everywhere', '=A==B=AA==AAA=A=AAECA=='],
    ['with foreign characters', 'AA EC-Aw_Q\u00e9!=\t='],
    ['empty', ''],
  ])('is read: %s', async (_how, body) => {
    expect(await bytesIn(mailOf(body))).toEqual(decoded(body));
  });

  it('is read however its encoding is written', async () => {
    for (const encoding of ['BASE64', '(a comment) base64', '"base64"', '\r\n Base64', 'ba()se64'])
      expect(await bytesIn(mailOf('SGVsbG8=', encoding))).toEqual(Buffer.from('Hello'));
  });

  it('is read within parts', async () => {
    const parts = [
      '--b',
      'Content-Type: application/zip',
      'Content-Transfer-Encoding: base64',
      '',
      'SGVsbG8=',
      '--b--',
    ];
    const mail = Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts.join('\r\n')}\r\n`);
    expect(await bytesIn(mail)).toEqual(Buffer.from('Hello'));
  });

  it('of a hundred thousand padded units is not kept in as many pieces', async () => {
    const { Blob } = globalThis;
    let pieces = 0;
    const spy = jest.spyOn(globalThis, 'Blob').mockImplementation((parts) => {
      pieces += (parts as unknown[]).length;
      return new Blob(parts);
    });
    const bytes = await bytesIn(mailOf('YQ=='.repeat(100_000))).finally(() => spy.mockRestore());
    expect(bytes.equals(Buffer.alloc(100_000, 'a'))).toBe(true);
    expect(pieces).toBeLessThan(100);
  });
});

describe('a part in another encoding', () => {
  it.each([
    ['quoted-printable', '=48=65llo=\r\n', 'Hello'],
    ['8bit', 'SGVsbG8=\r\n', 'SGVsbG8=\n'],
  ])('is read as before: %s', async (encoding, body, text) => {
    expect((await bytesIn(mailOf(body, encoding))).toString()).toMatch(new RegExp(`^${text}`));
  });

  it('may contain any number of equals signs', async () => {
    const body = `${'=D0=BF'.repeat(12)}=\r\n`.repeat(50_000);
    expect((await bytesIn(mailOf(body, 'quoted-printable'))).toString().trim()).toBe('п'.repeat(600_000));
  });
});
