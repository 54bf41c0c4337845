import { fetchedType, sniffed, uploadType } from './media.type';

async function headOf(content: Buffer) {
  const read = sniffed(
    (async function* () {
      yield content.subarray(0, 3);
      yield content.subarray(3);
    })(),
  );
  for await (const chunk of read.bytes) void chunk;
  return read.head();
}

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
const ZIP = Buffer.from('504b0304140000000800', 'hex');
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

describe('the media type of a fetched file', () => {
  it.each([
    ['a text that begins like a picture', 'text/csv', 'cars.csv', Buffer.from('BMW,Audi\n1,2\n'), 'text/csv'],
    [
      'and like a program',
      'text/plain; charset=utf-8',
      'a.txt',
      Buffer.from('MZ Leipzig'),
      'text/plain; charset=utf-8',
    ],
    ['a picture in XML', 'image/svg+xml', 'a.svg', Buffer.from('<?xml version="1.0"?><svg/>'), 'image/svg+xml'],
    ['an invitation', 'text/calendar; method=REQUEST', 'i.ics', Buffer.from('BEGIN'), 'text/calendar; method=REQUEST'],
    ['what lies in an archive', DOCX, 'a.bin', ZIP, DOCX],
    ['what the server knows nothing of, by its name', 'application/octet-stream', 'a.docx', ZIP, DOCX],
    ['and by its content', 'Application/Octet-Stream; x=y', 'a', PNG, 'image/png'],
    ['what no server told', undefined, 'cars.csv', Buffer.from('BMW,Audi'), 'text/csv'],
    ['what is told as text and is none', 'text/html', 'fetched.bin', PNG, 'image/png'],
    ['what nobody knows', undefined, 'a', Buffer.from('hello'), 'application/octet-stream'],
  ])('is right for %s', async (_what, told, name, content, type) => {
    expect(fetchedType(told, await headOf(content), name)).toBe(type);
  });
});

describe('the media type of an uploaded file', () => {
  it.each([
    ['its part says', 'text/calendar; method=REQUEST', 'a.ics', 'text/calendar; method=REQUEST'],
    ['its part says, whatever the name', 'Text/Plain', 'a.pdf', 'text/plain'],
    ['can be used of it', 'text/csv; charset="\\"', 'a.txt', 'text/csv'],
    ['can go into a mail', 'text/csv; charset="ü"', 'a.txt', 'text/csv'],
    ['can be used of one that is long', `text/csv;${' '.repeat(244)}a=b`, 'a.txt', 'text/csv'],
    ['is not too long of it', `text/csv;${' '.repeat(243)}a=b`, 'a.txt', `text/csv;${' '.repeat(243)}a=b`],
    ['is no control character of it', 'text/csv; a="\u0001"', 'a.txt', 'text/csv'],
    ['its name tells', undefined, 'a.csv', 'text/csv'],
    ['its name tells, be it that anything may be in it', undefined, 'setup.exe', 'application/octet-stream'],
    ['its name tells, of a type that is none', 'nonsense', 'a.pdf', 'application/pdf'],
    ['RFC 7578 says of what nobody tells', undefined, 'a', 'text/plain'],
    ['nobody knows', 'nonsense', 'a', 'application/octet-stream'],
  ])('is what %s', (_what, told, name, type) => {
    expect(uploadType(told, name)).toBe(type);
  });
});
