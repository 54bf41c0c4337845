import { decodeWords } from 'postal-mime';
import { customHeaders, textField } from './mime.headers';

const unfolded = (field: string) => field.replaceAll('\r\n', '').replace(/^[^:]*:/, '');
const link = (length: number) => `<https://example.com/u?${'t'.repeat(length - 24)}>`;

describe('a header field of links', () => {
  it.each([
    ['has a link that fits in a line', [link(800)]],
    ['has a link that just fits', [link(990)]],
    ['has several links', [link(900), '<mailto:u@example.com>', link(850)]],
  ])('keeps long links whole and unencoded if it %s', (_, links) => {
    const field = textField('List-Unsubscribe', links.join(', '));
    expect(unfolded(field).trim()).toBe(links.join(', '));
    for (const line of field.split('\r\n')) expect(line.length).toBeLessThanOrEqual(998);
  });

  it('breaks a link longer than a line by blanks, which readers ignore (RFC 2369 section 2)', () => {
    const field = textField('list-unsubscribe', `${link(4_000)}, <mailto:u@example.com>`);
    expect(field).not.toContain('=?');
    for (const line of field.split('\r\n')) expect(line.length).toBeLessThanOrEqual(998);
    const read = [...unfolded(field).matchAll(/<([^>]*)>/g)].map(([, uri]) => `<${uri!.replace(/\s/g, '')}>`);
    expect(read).toEqual([link(4_000), '<mailto:u@example.com>']);
  });

  it('percent-encodes non-ASCII characters (RFC 3987 section 3.1), as readers decode no words there', () => {
    expect(textField('List-Unsubscribe', '<https://example.com/für?q=😀>, <mailto:ü@example.com>')).toBe(
      'List-Unsubscribe: <https://example.com/f%C3%BCr?q=%F0%9F%98%80>,\r\n <mailto:%C3%BC@example.com>\r\n',
    );
    expect(textField('List-Help', 'a\ud800')).toBe('List-Help: a%EF%BF%BD\r\n');
    expect(textField('List-Help', 'a\u007f')).toBe('List-Help: a%7F\r\n');
    const long = textField('List-Unsubscribe', `<https://example.com/${'ü'.repeat(500)}>`);
    expect(long.replace(/\s/g, '')).toBe(`List-Unsubscribe:<https://example.com/${'%C3%BC'.repeat(500)}>`);
    for (const line of long.split('\r\n')) expect(line.length).toBeLessThanOrEqual(998);
  });

  it.each(['<https://example.com/u?a==?b?q?c>', '=?utf-8?q?<https://example.com/u>?='])(
    'is not encoded even if something looks like an encoded word: %s',
    (links) => expect(textField('List-Unsubscribe', links)).toBe(`List-Unsubscribe: ${links}\r\n`),
  );

  it('begins on the line of its name, as relays break signatures if the first line is empty', () => {
    expect(textField('List-Unsubscribe', `${link(120)}, ${link(60)}`)).toBe(
      `List-Unsubscribe: ${link(120)},\r\n ${link(60)}\r\n`,
    );
    expect(textField('Subject', `${'x'.repeat(100)} y`)).toBe(`Subject: ${'x'.repeat(100)}\r\n y\r\n`);
    expect(textField('X'.repeat(100), `${'y'.repeat(700)}`)).toBe(`${'X'.repeat(100)}: ${'y'.repeat(700)}\r\n`);
    expect(textField('X'.repeat(200), `${'y'.repeat(799)}`).split('\r\n')).toEqual([
      `${'X'.repeat(200)}:`,
      ` ${'y'.repeat(799)}`,
      '',
    ]);
  });

  it('differs from any other long field, which gets encoded words', () => {
    expect(textField('X-Trace', link(900))).toContain('=?UTF-8?');
  });
});

describe('a text field', () => {
  it.each([
    ['before it', 'Rabatt =? für alle'],
    ['behind it', 'für alle =? Rabatt'],
    ['within a word', 'a=b=? für c'],
  ])('has an encoded word for =? %s: some readers would decode from there on, in vain', (_, value) => {
    const field = textField('Subject', value);
    expect(field.match(/=\?(?!=)/g)).toHaveLength(1);
    expect(decodeWords(unfolded(field).trim())).toBe(value);
  });

  it('is not folded behind a backslash, which some readers take for an escape of the line end', () => {
    const value = `${'x'.repeat(64)} \\ ${'y'.repeat(20)} ${'z'.repeat(20)}`;
    const written = `Subject: ${'x'.repeat(64)} \\ ${'y'.repeat(20)}\r\n ${'z'.repeat(20)}\r\n`;
    expect(textField('Subject', value)).toBe(written);
    expect(textField('Subject', `${'x'.repeat(64)} \\ ü`)).not.toMatch(/\\\r\n/);
    for (const line of textField('X-Paths', '\\ '.repeat(900).trim()).split('\r\n'))
      expect(line.length).toBeLessThanOrEqual(998);
  });
});

describe('a custom header', () => {
  it.each(['List-Unsubscribe', 'References', 'Auto-Submitted'])(
    'is not encoded for blanks around its value: %s',
    (name) => {
      const written = customHeaders([[name, ' \t<a@example.com>  ']]).map(([of, value]) => textField(of, value));
      expect(written).toEqual([`${name}: <a@example.com>\r\n`]);
    },
  );
});
