import fc from 'fast-check';
import { bytesOf } from '../testing/mail.bytes';
import { prepareText, writeText } from './mime.text';
import { MailWriter } from './mime.writer';

const MARK = '=_mark-';
const written = (text: string) => {
  const { encoding, ...rest } = prepareText(text, MARK);
  const writer = new MailWriter();
  writeText(writer, { encoding, ...rest });
  return { encoding, lines: bytesOf(writer.done()).toString('latin1').split('\r\n') };
};

describe('an encoded text', () => {
  it('is 7bit if its lines have up to 76 characters, no trailing blanks and nothing like a boundary', () => {
    expect(written('a\n.\nFrom b\n')).toEqual({ encoding: '7bit', lines: ['a', '.', 'From b', ''] });
    expect(written('a'.repeat(76)).encoding).toBe('7bit');
    for (const text of ['a'.repeat(77), 'a \nb', 'a\t', 'é', 'a\u0000', `--${MARK}1`])
      expect(written(text).encoding).not.toBe('7bit');
    expect(written(`--${MARK}1\n`).lines).toEqual(['--=3D_mark-1', '']);
  });

  it('has no line over 76 characters', () => {
    const piece = fc.constantFrom('a', 'b'.repeat(73), '=', 'é', ' ', '\t', '\n', '\r\n', '\u0000', '日本');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        for (const line of written(pieces.join('')).lines) expect(line.length).toBeLessThanOrEqual(76);
      }),
    );
  });

  it('uses the shorter encoding: quoted-printable for few special bytes, base64 for many', () => {
    expect(written(`${'word '.repeat(20)}é`).encoding).toBe('quoted-printable');
    expect(written('日本語'.repeat(20)).encoding).toBe('base64');
    expect(written('aaé'.repeat(40)).encoding).toBe('base64');
  });
});
