import fc from 'fast-check';
import { relaxedField, relaxedFields, signedPart } from './dkim.header';

describe('the relaxed header', () => {
  it('matches the example of RFC 6376 section 3.4.5', () => {
    const fields = relaxedFields('A: X\r\nB : Y\t\r\n\tZ  \r\n');
    expect(fields).toEqual([
      { name: 'a', text: 'a:X' },
      { name: 'b', text: 'b:Y Z' },
    ]);
  });

  it('keeps every byte of a UTF-8 header, even those that look like blanks', () => {
    const value = Buffer.from('Ça va à jörg@example.com \u00a0\u2003').toString('latin1');
    expect(relaxedField(`Subject:  ${value}`).text).toBe(`subject:${value}`);
  });

  it('does not depend on folding, blanks around the colon or the case of the name', () => {
    const word = fc.stringMatching(/^[!-9;-~\u00a0-\u00ff]{1,9}$/);
    const blanks = fc.constantFrom(' ', '  ', '\t', ' \t ', '\r\n ', ' \r\n\t');
    fc.assert(
      fc.property(fc.array(fc.tuple(blanks, word), { minLength: 1, maxLength: 8 }), (parts) => {
        const written = parts.map(([blank, text]) => blank + text).join('');
        const plain = parts.map(([, text]) => text).join(' ');
        expect(relaxedField(`X-Name \t:${written} \t`).text).toBe(`x-name:${plain}`);
      }),
    );
  });
});

describe('the signed header fields', () => {
  const fields = relaxedFields(
    ['From: a@x.example', 'X-Own: 1', 'To: b@x.example', 'List-Unsubscribe-Post: List-Unsubscribe=One-Click', ''].join(
      '\r\n',
    ),
  );

  it('are named once more than present, so that an added field breaks the signature', () => {
    const { names, texts } = signedPart(fields);
    expect(names).toEqual([
      'from',
      'from',
      'to',
      'to',
      'cc',
      'subject',
      'date',
      'reply-to',
      'message-id',
      'mime-version',
      'content-type',
      'content-transfer-encoding',
      'list-unsubscribe-post',
    ]);
    expect(texts).toEqual(['from:a@x.example', 'to:b@x.example', 'list-unsubscribe-post:List-Unsubscribe=One-Click']);
  });

  it.each([
    ['List-Unsubscribe', 'RFC 8058 section 4'],
    ['List-Unsubscribe-Post', 'RFC 8058 section 4'],
    ['Feedback-ID', 'Gmail counts no complaints by it otherwise'],
    ['CFBL-Address', 'RFC 9477 section 3'],
    ['CFBL-Feedback-ID', 'RFC 9477 section 3'],
  ])('contain %s, as receivers heed it only if it is signed (%s)', (name) => {
    expect(signedPart(relaxedFields(`${name}: x\r\n`))).toMatchObject({
      names: expect.arrayContaining([name.toLowerCase()]) as string[],
      texts: [`${name.toLowerCase()}:x`],
    });
  });

  it('are taken from last to first if a name occurs several times', () => {
    const twice = relaxedFields('References: <1@x>\r\nreferences: <2@x>\r\n');
    const { names, texts } = signedPart(twice);
    expect(names.slice(-2)).toEqual(['references', 'references']);
    expect(texts).toEqual(['references:<2@x>', 'references:<1@x>']);
  });
});
