import { fileParts, type LoadedAttachment } from './mime.attachments';

const file = (over: Partial<LoadedAttachment> & { text?: string } = {}): LoadedAttachment => {
  const { text = 'Subject: a\r\n\r\nb\r\n', ...rest } = over;
  return { file_name: 'f', content_type: 'message/rfc822', bytes: Buffer.from(text), ...rest };
};
const partOf = (over: Parameters<typeof file>[0]) => fileParts([file(over)], undefined).attached[0]!;
const inlineIn = (html: string, ...cids: string[]) =>
  fileParts(
    cids.map((cid) => file({ cid })),
    html,
  ).inline.map(({ cid }) => cid);

describe('an attached mail', () => {
  it('is sent as message/rfc822 in 7bit if its lines and bytes allow it', () => {
    expect(partOf({})).toMatchObject({ type: 'message/rfc822', encoding: '7bit' });
    expect(partOf({ text: `${'a'.repeat(998)}\r\n` })).toMatchObject({ type: 'message/rfc822', encoding: '7bit' });
  });

  it.each([
    ['a line is longer than 998', `${'a'.repeat(999)}\r\n`],
    ['there is a NUL in it', 'a\u0000b\r\n'],
    ['it is not ASCII', 'ü\r\n'],
    ['a line ends by LF alone', 'a\nb\r\n'],
    ['a line ends by CR alone', 'a\rb\r\n'],
    ['the last line has no end', 'a\r\nb'],
    ['it is empty', ''],
  ])('is sent as base64 octet-stream if %s', (_, text) => {
    expect(partOf({ text })).toMatchObject({ type: 'application/octet-stream', parameters: [], encoding: 'base64' });
  });
});

describe('the type of an attachment', () => {
  it.each(['text/plain; name="evil.exe"', 'text/plain; NAME*=utf-8', 'text/plain; filename=evil.exe'])(
    'has no file name parameters: %s',
    (said) => {
      const part = partOf({ content_type: `${said}; charset=utf-8`, text: 'a' });
      expect(part).toMatchObject({ type: 'text/plain', parameters: ['charset=utf-8'], encoding: 'base64' });
    },
  );

  it.each(['multipart/mixed; boundary=x', 'Multipart/Related; boundary=x', 'nonsense', ''])(
    'becomes application/octet-stream if it is multipart or invalid: «%s»',
    (said) => {
      expect(partOf({ content_type: said })).toMatchObject({ type: 'application/octet-stream', encoding: 'base64' });
    },
  );
});

describe('the charset of a text file', () => {
  const parametersOf = (content_type: string, bytes: Buffer) => partOf({ content_type, bytes }).parameters;
  const greeting = Buffer.from('Grüße');

  it.each(['text/plain', 'Text/HTML', 'text/csv', 'text/x-own'])('is named if it is UTF-8: %s', (said) => {
    expect(parametersOf(said, greeting)).toEqual(['charset=utf-8']);
  });

  it('is named beside other parameters', () => {
    expect(parametersOf('text/calendar; method=REQUEST', greeting)).toEqual(['method=REQUEST', 'charset=utf-8']);
    expect(parametersOf('text/plain; name="charset=x"', greeting)).toEqual(['charset=utf-8']);
  });

  it.each([
    ['only a byte order mark is beyond ASCII', Buffer.from('\ufeffa;b'), ['charset=utf-8']],
    ['it is ASCII', Buffer.from('Gruesse'), []],
    ['it is empty', Buffer.alloc(0), []],
    ['it is Latin-1', Buffer.from('Grüße', 'latin1'), []],
    ['it is UTF-16', Buffer.from('\ufeffGrüße', 'utf16le'), []],
    ['its last character is cut off', greeting.subarray(0, 3), []],
  ])('is what the bytes tell: %s', (_, bytes, parameters) => {
    expect(parametersOf('text/plain', bytes)).toEqual(parameters);
  });

  it.each(['charset=iso-8859-1', 'CHARSET="US-ASCII"', "charset*=us-ascii'en'utf-8", 'charset*0=utf; charset*1=-8'])(
    'stays as it was stated: %s',
    (stated) => {
      expect(parametersOf(`text/plain; ${stated}`, greeting)).toEqual(stated.split('; '));
    },
  );

  it.each(['application/json', 'application/octet-stream', 'image/svg+xml', 'nonsense'])(
    'is not named for another type: %s',
    (said) => {
      expect(parametersOf(said, greeting)).toEqual([]);
    },
  );
});

describe('inline files', () => {
  it('are found in any form of cid reference', () => {
    expect(inlineIn('<img src="cid:logo">', 'logo', 'other')).toEqual(['logo']);
    expect(inlineIn('<img src=CID:logo>', 'logo')).toEqual(['logo']);
    expect(inlineIn('<td style="background:url(cid:bg)">', 'bg')).toEqual(['bg']);
    expect(inlineIn('<img src="cid:Logo">', 'logo')).toEqual([]);
  });

  it('are found before punctuation, and if it is part of their name', () => {
    expect(inlineIn('<p>See cid:logo.</p>', 'logo')).toEqual(['logo']);
    expect(inlineIn('<img src="cid:logo.">', 'logo.')).toEqual(['logo.']);
  });
});
