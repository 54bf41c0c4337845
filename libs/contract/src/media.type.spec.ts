import { inlineType, mediaTypeIn, mediaTypeOf } from './media.type';

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

describe('the media type of a file in base64', () => {
  const calendar = (...lines: string[]) =>
    ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n');
  it.each([
    ['an invitation', 'i.ics', calendar('METHOD:REQUEST'), 'text/calendar; method=REQUEST'],
    ['one that is called off, without CR', 'i.ics', 'BEGIN:VCALENDAR\nmethod:Cancel\n', 'text/calendar; method=CANCEL'],
    ['a calendar for nobody', 'i.ics', calendar(), 'text/calendar'],
    ['a calendar that only talks of it', 'i.ics', calendar('SUMMARY:x', ' METHOD:REQUEST'), 'text/calendar'],
    ['no method', 'i.ics', calendar('METHOD:a; charset=x'), 'text/calendar'],
    ['a text that says the same', 'i.txt', calendar('METHOD:REQUEST'), 'text/plain'],
  ])('is right for %s', (_what, name, content, type) => {
    expect(inlineType(name, Buffer.from(content).toString('base64'))).toBe(type);
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
