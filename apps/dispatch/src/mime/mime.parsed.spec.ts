import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import PostalMime, { decodeWords, type Email } from 'postal-mime';
import { bytesOf } from '../testing/mail.bytes';
import { CORPUS, SCRIPTS } from '../testing/mime.corpus';
import { referenceMail } from '../testing/mime.reference';
import { composeMail, type LoadedMail } from './mime.composer';

const mail = (over: Partial<LoadedMail> = {}): LoadedMail => ({ ...CORPUS[0]!, ...over });
const composed = (of: LoadedMail): Buffer => bytesOf(composeMail(of));
const parsed = (of: LoadedMail): Promise<Email> => PostalMime.parse(composed(of));
const bodyOf = (text: string | undefined): string => (text ?? '').replace(/\r\n/g, '\n').replace(/\n*$/, '');

/** The mail as a reader shows it, without what only one of the two libraries writes. */
function shown({ from, to, cc, replyTo, subject, messageId, inReplyTo, references, date, ...rest }: Email): object {
  const custom = rest.headers
    .filter(({ key }) => /^(x-|list-|feedback-)/.test(key))
    .map(({ key, value }) => [key, decodeWords(value)]);
  const files = rest.attachments.map((one) => ({
    ...one,
    content: Buffer.from(one.content as ArrayBuffer).toString('base64'),
  }));
  const addresses = { from, to, cc, replyTo };
  return {
    ...addresses,
    subject,
    messageId,
    inReplyTo,
    references,
    date,
    custom,
    files,
    text: bodyOf(rest.text),
    html: bodyOf(rest.html),
  };
}

function expectWellFormed(raw: Buffer): void {
  const text = raw.toString('latin1');
  expect(text.replace(/\r\n/g, '')).not.toMatch(/[\r\n\u0000]/);
  expect(text.endsWith('\r\n')).toBe(true);
  expect(Math.max(...text.split('\r\n').map((one) => one.length))).toBeLessThanOrEqual(998);
  // A body may contain text that looks like an encoded word.
  const header = text.slice(0, text.indexOf('\r\n\r\n'));
  for (const word of header.match(/=\?UTF-8\?[BQ]\?[^?]*\?=/g) ?? []) expect(word.length).toBeLessThanOrEqual(75);
}

describe('a mail read by another parser', () => {
  it.each(CORPUS.map((one, index) => [index, one] as const))(
    'equals the mail of another library (%i)',
    async (_, one) => {
      const ours = composed(one);
      expectWellFormed(ours);
      expect(shown(await PostalMime.parse(ours))).toEqual(shown(await PostalMime.parse(await referenceMail(one))));
    },
  );
});

/** Has blanks, specials and lookalikes more often than random text. */
const fragment = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom(...SCRIPTS),
  fc.constantFrom(
    ' ',
    '  ',
    '=?utf-8?q?a?=',
    '=?',
    '?=',
    '=?UTF-8?B?',
    '_',
    '"',
    '\\',
    ',',
    '<',
    '>',
    '@',
    ';',
    "'",
    '%41',
    '=',
  ),
  fc.integer({ min: 50, max: 1100 }).map((length) => 'w'.repeat(length)),
);
const clean = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, '').normalize('NFC');
const line = fc.array(fragment, { maxLength: 8 }).map((parts) => clean(parts.join('')));
const visible = line.filter((text) => text.trim() === text && text !== '' && !/\s\s|[^\S ]/.test(text));

/** This parser decodes encoded words even in file names, where they are not allowed (RFC 2231). */
const fileName = visible.filter((text) => !/=\?[^?]*\?[bq]\?/i.test(text));

describe('round trip through another parser', () => {
  it('preserves subjects and header values', async () => {
    await fc.assert(
      fc.asyncProperty(line, line, async (subject, value) => {
        const of = mail({ subject, headers: [['X-Value', value]] });
        expectWellFormed(composed(of));
        const read = await parsed(of);
        expect(read.subject ?? '').toBe(subject);
        expect(decodeWords(read.headers.find(({ key }) => key === 'x-value')!.value)).toBe(value.trim());
      }),
      { numRuns: 150 },
    );
  });

  it('preserves names', async () => {
    await fc.assert(
      fc.asyncProperty(visible, visible, async (one, other) => {
        const cc = [
          { email: 'one@example.com', name: one },
          { email: 'two@example.com', name: other },
        ];
        const of = mail({ from: { email: 'shop@example.com', name: one }, cc });
        expectWellFormed(composed(of));
        const read = await parsed(of);
        expect(read.from).toMatchObject({ address: 'shop@example.com', name: one });
        expect(read.cc).toMatchObject(cc.map(({ email, name }) => ({ address: email, name })));
      }),
      { numRuns: 150 },
    );
  });

  it('preserves file names, in short lines', async () => {
    await fc.assert(
      fc.asyncProperty(fileName, async (file_name) => {
        const of = mail({ attachments: [{ file_name, content_type: 'application/pdf', bytes: Buffer.from('a') }] });
        expect((await parsed(of)).attachments[0]!.filename).toBe(file_name);
        const longest = Buffer.byteLength(file_name) < 190 ? 78 : 998;
        for (const written of composed(of).toString('latin1').split('\r\n'))
          expect(written.length).toBeLessThanOrEqual(longest);
      }),
      { numRuns: 200 },
    );
  });

  it('preserves bodies and files in every nesting', async () => {
    const body = fc.option(fc.array(fc.oneof(fragment, fc.constantFrom('\n', '\r\n', ' \n', '.\n', '=\n', '\t'))), {
      nil: undefined,
    });
    const files = fc.array(
      fc.record({ cid: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }), of: fc.uint8Array() }),
    );
    await fc.assert(
      fc.asyncProperty(body, body, files, async (text, html, some) => {
        const attachments = some.map(({ cid, of }) => ({
          file_name: 'f',
          content_type: 'image/png',
          bytes: Buffer.from(of),
          ...(cid === undefined ? {} : { cid }),
        }));
        const lf = (parts: string[]): string =>
          Buffer.from(parts.join(''))
            .toString()
            .replace(/\u0000/g, '')

            .replace(/\r\n|\r/g, '\n');
        const of = mail({
          text: text && `${lf(text)}.`,
          html: html && `<p>${lf(html)}</p><img src="cid:a">`,
          attachments,
        });
        expectWellFormed(composed(of));
        const read = await parsed(of);
        if (of.text !== undefined) expect(bodyOf(read.text)).toBe(of.text);
        if (of.html !== undefined) expect(bodyOf(read.html)).toBe(of.html);
        const related = (one: (typeof attachments)[number]) => of.html !== undefined && 'cid' in one && one.cid === 'a';
        const order = [...attachments.filter(related), ...attachments.filter((one) => !related(one))];
        expect(read.attachments.map(({ content }) => Buffer.from(content as ArrayBuffer))).toEqual(
          order.map(({ bytes }) => bytes),
        );
      }),
      { numRuns: 120 },
    );
  });
});

/** Files of types that name no charset. */
const TEXT_FILES = ['text/plain', 'text/html', 'text/csv', 'text/calendar; method=REQUEST'].map((content_type) => ({
  file_name: 'f',
  content_type,
  bytes: Buffer.from(SCRIPTS.join('\n')),
}));

const PYTHON = `
import sys, json, email, email.policy
from email.header import decode_header, make_header
from email.utils import parseaddr
raws = json.load(sys.stdin)
out = []
for raw in raws:
    m = email.message_from_bytes(raw.encode('latin-1'), policy=email.policy.default)
    # The names by the older reader: the newer one of some versions puts blanks between encoded words of a name.
    name, address = parseaddr(email.message_from_bytes(raw.encode('latin-1'))['from'])
    out.append({
        'subject': str(m['subject']), 'defects': [type(d).__name__ for p in m.walk() for d in p.defects],
        'to': [a.addr_spec for a in m['to'].addresses],
        'from': [str(make_header(decode_header(name))), address],
        'files': [[p.get_filename(), p.get_payload(decode=True).hex()] for p in m.walk() if p.get_filename() and p.get_content_type() != 'message/rfc822'],
        'texts': [p.get_content() for p in m.walk() if p.get_content_maintype() == 'text' and p.get_filename()],
        'text': [p.get_content() for p in m.walk() if p.get_content_type() == 'text/plain' and not p.get_filename()]})
json.dump(out, sys.stdout)
`;
const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) process.stderr.write('LEFT OUT: mails are not read by python3, which is not here\n');

(hasPython ? it : it.skip)('is read by python the same way, without a defect', () => {
  const some = [...CORPUS.filter(({ to }) => !/["ö]/.test(to.email)), mail({ attachments: TEXT_FILES })];
  const input = JSON.stringify(some.map((one) => composed(one).toString('latin1')));
  const { stdout, stderr } = spawnSync('python3', ['-c', PYTHON], { input, maxBuffer: 64e6, encoding: 'utf8' });
  expect(stderr).toBe('');
  const read = JSON.parse(stdout) as Record<string, unknown>[];
  some.forEach((one, index) => {
    const files = one.attachments.filter(({ content_type }) => content_type !== 'message/rfc822');
    expect(read[index]).toMatchObject({
      subject: one.subject,
      defects: [],
      from: [one.from.name ?? '', one.from.email],
      to: [one.to.email.replace('bücher', 'xn--bcher-kva')],
      files: files.map(({ file_name, bytes }) => [file_name, bytes.toString('hex')]),
      texts: files.filter(({ content_type }) => content_type.startsWith('text/')).map(({ bytes }) => bytes.toString()),
    });
    const [text] = read[index]!.text as string[];
    if (one.text) expect(bodyOf(text)).toBe(one.text.replace(/\r\n|\r/g, '\n').replace(/\n*$/, ''));
  });
});
