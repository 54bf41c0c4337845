import { mediaTypeIn, mediaTypeOf } from './media.type';

describe('the media type of a file name', () => {
  it.each([
    ['invoice.PDF', 'application/pdf'],
    ['archive.tar.gz', 'application/gzip'],
    ['größe.png', 'image/png'],
  ])('of %s is %s', (name, type) => {
    expect(mediaTypeOf(name)).toBe(type);
  });

  it('is unknown without an ending, or with one that nobody knows', () => {
    for (const name of ['f', 'html', 'pdf', 'README', 'x.', 'a.nosuch']) {
      expect(mediaTypeOf(name)).toBe('application/octet-stream');
    }
  });
});

describe('what a Content-Type says', () => {
  it.each([
    ['text/plain', 'text/plain', []],
    ['Text/CSV ; Header=present;charset="utf-8" ', 'Text/CSV', ['Header=present', 'charset="utf-8"']],
    ['a/b;c=1;d=2;e=3;f=4;g=5', 'a/b', ['c=1', 'd=2', 'e=3', 'f=4', 'g=5']],
  ])('of %s', (said, type, parameters) => {
    expect(mediaTypeIn(said)).toEqual({ type, parameters });
  });

  it.each([
    ['nothing', ''],
    ['no subtype', 'text'],
    ['no value', 'text/plain; charset'],
    ['a line end', 'text/plain; a="b\r\nBcc: x@example.com"'],
    ['a backslash', 'text/plain; a="\\""'],
    ['what is no ASCII', 'text/plain; a="ü"'],
    ['a sixth parameter', 'a/b;c=1;d=2;e=3;f=4;g=5;h=6'],
    ['a type that has no end', `text/${'x'.repeat(81)}`],
  ])('is of no use with %s', (_what, said) => {
    expect(mediaTypeIn(said)).toBeUndefined();
  });
});
