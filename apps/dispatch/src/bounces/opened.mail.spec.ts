import { openMail, MAX_READ_BYTES } from './opened.mail';

const MAX_PART_BYTES = 128 * 1024;
const open = (...lines: string[]) => openMail(Buffer.from(lines.join('\r\n')));
const MIXED_HEADER = ['Subject: Report', 'MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b', ''];
const status = (...lines: string[]) => ['--b', 'Content-Type: message/delivery-status', '', ...lines];
const repeated = (count: number, ...lines: string[]) => Array.from({ length: count }, () => lines).flat();
const LONG_LINE = 'x'.repeat(997);

describe('of an oversized mail', () => {
  it('a limited number of parts is read', async () => {
    const { statuses, header } = await open(...MIXED_HEADER, ...repeated(10_000, ...status('Action: failed')));
    expect(header).toContainEqual(['subject', 'Report']);
    expect(statuses.length).toBeGreaterThan(100);
    expect(statuses.length).toBeLessThanOrEqual(600);
  });

  it('a limited number of lines is read', async () => {
    const { text } = await open('Subject: Report', '', ...repeated(20_000, 'a'));
    expect(text.split('\n').length).toBeLessThanOrEqual(6_000);
  });

  it('nothing beyond the first MAX_READ_BYTES is read', async () => {
    const { statuses } = await open(...MIXED_HEADER, ...repeated(40, ...status(...repeated(100, LONG_LINE))));
    expect(statuses.length).toBe(Math.ceil(MAX_READ_BYTES / (100 * 1_000)));
  });

  it('each part and the searched source are cut to a maximum length', async () => {
    const { statuses, text, source } = await open(
      ...MIXED_HEADER,
      '--b',
      'Content-Type: text/plain',
      '',
      ...repeated(150, LONG_LINE),
      ...status(...repeated(150, LONG_LINE)),
      '--b--',
    );
    expect([statuses.map(({ length }) => length), text.length, source.length <= MAX_PART_BYTES]).toEqual([
      [MAX_PART_BYTES],
      MAX_PART_BYTES,
      true,
    ]);
  });

  it('a limited number of padded units of base64 is read, each of which costs as much as a line', async () => {
    const { header, text } = await open(
      'Subject: Report',
      'Content-Type: text/plain',
      'Content-Transfer-Encoding: base64',
      '',
      'YQ=='.repeat(100_000),
    );
    expect(header).toContainEqual(['subject', 'Report']);
    expect([text.length, text.replaceAll('a', '')]).toEqual([20_000, '']);
  });

  it('parts nested too deeply are read as text, and an endless header is cut', async () => {
    const nested = Array.from({ length: 2_000 }, (_, at) => {
      return ['', `--b${at}`, `Content-Type: multipart/mixed; boundary=b${at + 1}`, ''];
    });
    const deep = await open(
      ...MIXED_HEADER.slice(0, 2),
      'Content-Type: multipart/mixed; boundary=b0',
      ...nested.flat(),
    );
    expect(deep).toMatchObject({ statuses: [], text: expect.stringContaining('--b99') as string });
    const endless = await open(
      'Subject: Report',
      ...repeated(300, `X-Trace: ${LONG_LINE.slice(9)}`),
      ...MIXED_HEADER.slice(2),
      ...status('a'),
    );
    expect(endless).toMatchObject({ statuses: [], text: '' });
    expect(endless.header[0]).toEqual(['subject', 'Report']);
  });
});

describe('of a mail', () => {
  const part = (type: string, ...lines: string[]) =>
    open(...MIXED_HEADER, '--b', `Content-Type: ${type}`, '', ...lines, '--b--');

  it.each(['message/delivery-status', 'message/global-delivery-status', 'text/delivery-status'])(
    'a status report is recognized by its type: %s',
    async (type) => {
      const { statuses } = await part(type, 'Action: failed', '');
      expect(statuses.map((one) => one.trim())).toEqual(['Action: failed']);
    },
  );

  it.each(['message/feedback-report', 'text/feedback-report'])(
    'a complaint is recognized by its type: %s',
    async (type) => {
      expect((await part(type, 'Feedback-Type: abuse')).feedback?.trim()).toBe('Feedback-Type: abuse');
    },
  );

  it.each([
    'message/rfc822',
    'message/global',
    'message/partial; number=1; total=2; id=a',
    'message/rfc822-headers',
    'text/rfc822-headers',
    'message/global-headers',
    'text/global-headers',
    'text/plain; name="header.txt"\r\nContent-Disposition: attachment',
  ])('the returned mail is recognized by the type of its part: %s', async (type) => {
    const { original } = await part(
      type,
      'Message-ID: <1@example.com>',
      'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
      '',
      'Hello',
    );
    expect(original).toEqual([
      ['message-id', '<1@example.com>'],
      ['subject', 'Grüße'],
    ]);
  });

  it('the header is read with encoded words decoded, even after an mbox From line', async () => {
    const { header } = await open(
      'From x@example.net Thu Mar  5 10:00:00 2026',
      'Subject: =?utf-8?q?Unzustellbar=21?=',
      '',
      'a',
    );
    expect(header).toEqual([['subject', 'Unzustellbar!']]);
  });

  it.each([[[' \t ']], [['', '  ', '']], [['', 'From x@example.net Thu Mar  5 10:00:00 2026']]])(
    'the header is read after leading blank lines: %j',
    async (before) => {
      const { header, text } = await open(...before, 'Subject: Returned', '', 'a');
      expect([header, text.trim()]).toEqual([[['subject', 'Returned']], 'a']);
    },
  );

  it.each([
    ['text', '=D0=BF'.repeat(12)],
    ['HTML', '<td style=3D"color:#000" class=3D"a" id=3D"b">'],
  ])('findings are read after 50 KiB of quoted-printable: %s', async (_what, line) => {
    const { statuses } = await open(
      ...MIXED_HEADER,
      '--b',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      ...repeated(Math.floor((50 * 1024) / line.length), `${line}=`),
      ...status('Action: failed'),
    );
    expect(statuses).toEqual(['Action: failed\n']);
  });

  it('the text is what a part says that only its type calls a status report; without one there is none', async () => {
    const fields = status('Final-Recipient: rfc822; ada@example.org', 'Action: failed', '');
    const { text } = await open(...MIXED_HEADER, ...status('It could not be delivered.', ''), ...fields, '--b--');
    expect(text.trim()).toBe('It could not be delivered.');
    expect((await open(...MIXED_HEADER, ...fields, '--b--')).text).toBe('');
  });

  it('header and text are empty if it consists of blank lines only', async () => {
    expect(await open('', '  ', '')).toMatchObject({ header: [], text: '' });
  });

  const page = async (...html: string[]) => (await open('Content-Type: text/html', '', ...html)).text.trim();

  it('the text is taken from HTML, without invisible elements, if there is only HTML', async () => {
    const told = await page(
      '<head><title>Mail</title></head><header>Sorry</header><style type="text/css">p { color: red }</style><script>var sent = 1;</script>',
      '<p class="first">Not <b>delivered</b></p><div>to Ada</div>',
    );
    expect(told.split('\n').map((line) => line.trim().replace(/ +/g, ' '))).toEqual([
      'Sorry',
      'Not delivered',
      'to Ada',
    ]);
  });

  it.each([
    ['&lt;ada@example.org&gt;', '<ada@example.org>'],
    ['ada&#43;news&#64;example.org', 'ada+news@example.org'],
    ['ada&#x2B;news&#X40;example.org', 'ada+news@example.org'],
    ['&quot;isn&#39;t&QUOT;&nbsp;&apos;&#128512;', '"isn\'t" \'😀'],
    ['&amp;lt; &amp;#64; &copy; &#1114112;', '&lt; &#64; &copy; &#1114112;'],
  ])('HTML character references are decoded once: %s', async (html, text) => {
    expect(await page(`<p>${html}</p>`)).toBe(text);
  });
});
