import { inlineMediaType, parseMediaType, mediaTypeOf } from './media.type';

describe('mediaTypeOf', () => {
  it.each([
    ['invoice.PDF', 'application/pdf'],
    ['archive.tar.gz', 'application/gzip'],
    ['größe.png', 'image/png'],
  ])('maps %s to %s', (name, type) => {
    expect(mediaTypeOf(name)).toBe(type);
  });

  it('returns application/octet-stream for a missing or unknown extension', () => {
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
    ['a cancellation, without CR', 'i.ics', 'BEGIN:VCALENDAR\nmethod:Cancel\n', 'text/calendar; method=CANCEL'],
    ['a calendar without a method', 'i.ics', calendar(), 'text/calendar'],
    ['a calendar that only mentions a method', 'i.ics', calendar('SUMMARY:x', ' METHOD:REQUEST'), 'text/calendar'],
    ['an invalid method', 'i.ics', calendar('METHOD:a; charset=x'), 'text/calendar'],
    ['a text file with the same content', 'i.txt', calendar('METHOD:REQUEST'), 'text/plain'],
  ])('is right for %s', (_what, name, content, type) => {
    expect(inlineMediaType(name, Buffer.from(content).toString('base64'))).toBe(type);
  });
});

describe('a Content-Type', () => {
  it.each([
    ['text/plain', 'text/plain', []],
    ['Text/CSV ; Header=present;charset="utf-8" ', 'Text/CSV', ['Header=present', 'charset="utf-8"']],
    ['a/b;c=1;d=2;e=3;f=4;g=5', 'a/b', ['c=1', 'd=2', 'e=3', 'f=4', 'g=5']],
  ])('is parsed: %s', (said, type, parameters) => {
    expect(parseMediaType(said)).toEqual({ type, parameters });
  });

  it.each([
    ['nothing', ''],
    ['no subtype', 'text'],
    ['a parameter without a value', 'text/plain; charset'],
    ['a line break', 'text/plain; a="b\r\nBcc: x@example.com"'],
    ['a backslash', 'text/plain; a="\\""'],
    ['a character outside ASCII', 'text/plain; a="ü"'],
    ['a sixth parameter', 'a/b;c=1;d=2;e=3;f=4;g=5;h=6'],
    ['a type that is too long', `text/${'x'.repeat(81)}`],
  ])('is not accepted with %s', (_what, said) => {
    expect(parseMediaType(said)).toBeUndefined();
  });
});
