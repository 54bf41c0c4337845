import fc from 'fast-check';
import {
  envelopeLine,
  headerBlock,
  idOfFileName,
  isDraftFileName,
  mailFileName,
  readEnvelopeLine,
} from './mailbox.file';

const id = 'VbbKwy6FPOEZlnwcPt';

describe('the envelope line', () => {
  it.each([
    ['nothing', ''],
    ['zeros, as a crash can leave them', '\0'.repeat(200)],
    ['another header', 'Subject: hello\r\n'],
    ['half a line', 'X-Mailbox-Envelope: {"from":"a@example.com","to"'],
    ['broken JSON', 'X-Mailbox-Envelope: {"from":\r\n'],
    ['JSON of another kind', 'X-Mailbox-Envelope: null\r\n'],
    ['no recipients', 'X-Mailbox-Envelope: {"from":"","received_at":1}\r\n'],
  ])('is not read from %s', (_case, head) => {
    expect(readEnvelopeLine(Buffer.from(head))).toBeUndefined();
  });

  it('is read back as it was written, whatever the addresses contain', () => {
    const address = fc.string({ unit: 'grapheme', maxLength: 40 });
    fc.assert(
      fc.property(address, fc.array(address), fc.nat(), fc.uint8Array(), (from, to, receivedAt, mail) => {
        const line = envelopeLine({ from, to }, receivedAt);
        const read = readEnvelopeLine(Buffer.concat([line, mail]));
        expect(read).toEqual({ envelope: { from, to }, receivedAt, length: line.length });
      }),
    );
  });
});

describe('file names', () => {
  it('identify a mail, a draft, or a foreign file', () => {
    expect(idOfFileName(mailFileName(id))).toBe(id);
    expect(idOfFileName('../../etc/passwd')).toBeUndefined();
    expect(idOfFileName(`${id}.eml.bak`)).toBeUndefined();
    expect(isDraftFileName('0b6f3c1e-5f0a-4b62-9a3e-0c8f4a1d2e3f.part')).toBe(true);
    expect(isDraftFileName('notes.part.txt')).toBe(false);
  });
});

describe('the header block', () => {
  it.each([
    ['a: b\r\nc: d\r\n\r\nbody\r\n\r\n', 'a: b\r\nc: d\r\n'],
    ['a: b\n\nbody\r\n\r\n', 'a: b\n\n'],
    ['\r\nbody: is not a header\r\n\r\n', ''],
    ['a: b\r\nc: d\r\n', 'a: b\r\nc: d\r\n'],
  ])('is read from %j', (mail, block) => {
    expect(headerBlock(Buffer.from(mail)).toString()).toBe(block);
  });
});
