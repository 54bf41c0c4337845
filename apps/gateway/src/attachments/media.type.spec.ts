import { fetchedType, sniffed, uploadType } from './media.type';

async function headOf(content: Buffer) {
  const read = sniffed(
    (async function* () {
      yield content.subarray(0, 3);
      yield content.subarray(3);
    })(),
  );
  const passedOn: Buffer[] = [];
  for await (const chunk of read.bytes) passedOn.push(chunk);
  expect(Buffer.concat(passedOn)).toEqual(content);
  return read.head();
}

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
const ZIP = Buffer.from('504b0304140000000800', 'hex');
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

describe('the media type of a fetched file', () => {
  it.each([
    ['a text that begins like an image', 'text/csv', 'cars.csv', Buffer.from('BMW,Audi\n1,2\n'), 'text/csv'],
    [
      'a text that begins like a program',
      'text/plain; charset=utf-8',
      'a.txt',
      Buffer.from('MZ Leipzig'),
      'text/plain; charset=utf-8',
    ],
    ['an image in XML', 'image/svg+xml', 'a.svg', Buffer.from('<?xml version="1.0"?><svg/>'), 'image/svg+xml'],
    ['an invitation', 'text/calendar; method=REQUEST', 'i.ics', Buffer.from('BEGIN'), 'text/calendar; method=REQUEST'],
    ['a format that is an archive', DOCX, 'a.bin', ZIP, DOCX],
    ['a type that the server does not know, by the file name', 'application/octet-stream', 'a.docx', ZIP, DOCX],
    ['a type that the server does not know, by the content', 'Application/Octet-Stream; x=y', 'a', PNG, 'image/png'],
    ['a type that says nothing, by the file name', 'binary/octet-stream', 'a.docx', ZIP, DOCX],
    ['a type that says to save it, by the file name', 'application/x-download', 'a.docx', ZIP, DOCX],
    ['a type that says to save it at once, by the file name', 'application/force-download', 'a.docx', ZIP, DOCX],
    ['a file without Content-Type', undefined, 'cars.csv', Buffer.from('BMW,Audi'), 'text/csv'],
    ['a file that is declared as text but is not', 'text/html', 'fetched.bin', PNG, 'image/png'],
    ['a file of unknown type', undefined, 'a', Buffer.from('hello'), 'application/octet-stream'],
  ])('is right for %s', async (_what, told, name, content, type) => {
    expect(fetchedType(told, await headOf(content), name)).toBe(type);
  });
});

describe('the media type of an uploaded file', () => {
  it.each([
    ['that of its part', 'text/calendar; method=REQUEST', 'a.ics', 'text/calendar; method=REQUEST'],
    ['that of its part, whatever the file name', 'Text/Plain', 'a.pdf', 'text/plain'],
    ['that of its part without a malformed parameter', 'text/csv; charset="\\"', 'a.txt', 'text/csv'],
    ['that of its part without a parameter that cannot go into a mail', 'text/csv; charset="ü"', 'a.txt', 'text/csv'],
    ['that of its part without parameters, if it is too long', `text/csv;${' '.repeat(244)}a=b`, 'a.txt', 'text/csv'],
    ['that of its part, if it is short', `text/csv;${' '.repeat(243)}a=b`, 'a.txt', `text/csv;${' '.repeat(243)}a=b`],
    ['that of its part without a parameter that has a control character', 'text/csv; a="\u0001"', 'a.txt', 'text/csv'],
    ['that of its part without a parameter on another line', 'text/csv;\r\n a=b', 'a.txt', 'text/csv'],
    ['that of its part without blanks before a malformed parameter', 'text/csv ; charset="\\"', 'a.txt', 'text/csv'],
    ['that of the file name, if the part has none', undefined, 'a.csv', 'text/csv'],
    ['that of the file name, even if unspecific', undefined, 'setup.exe', 'application/octet-stream'],
    ['that of the file name, if that of the part is invalid', 'nonsense', 'a.pdf', 'application/pdf'],
    ['text/plain as in RFC 7578, if neither part nor file name has one', undefined, 'a', 'text/plain'],
    ['application/octet-stream, if only an invalid one is given', 'nonsense', 'a', 'application/octet-stream'],
  ])('is %s', (_what, told, name, type) => {
    expect(uploadType(told, name)).toBe(type);
  });
});
