import type { LoadedAttachment } from '../mime/mime.attachments';
import type { LoadedMail } from '../mime/mime.composer';

const plain: LoadedMail = {
  message_id: '<corpus@mail.example.com>',
  date: '2026-01-02T03:04:05.000Z',
  from: { email: 'shop@example.com', name: 'Shop' },
  to: { email: 'ada@example.com' },
  cc: [],
  subject: 'Hello',
  text: 'Hello\n',
  headers: [],
  attachments: [],
};
const file = (file_name: string, content_type: string, bytes: Buffer | string, cid?: string): LoadedAttachment => ({
  file_name,
  content_type,
  bytes: Buffer.from(bytes as string),
  ...(cid === undefined ? {} : { cid }),
});
const png = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10, 0, 46, 13, 10, 46]);
const page = (body: string): string =>
  `<!doctype html>\n<html><head><title>${body}</title></head><body><table width="100%"><tr><td style="color:#333;font-family:sans-serif">${body}</td></tr></table></body></html>`;

/** Names and texts in many scripts. */
export const SCRIPTS = [
  'Zoë Ångström-Łukasz',
  'Дмитрий Иванов',
  'Ελένη Παπαδοπούλου',
  'محمد عبد الله',
  'דָּוִד בֶּן־גּוּרִיוֹן',
  'राजेश कुमार',
  'สมชาย ใจดี',
  '山田太郎(東京)',
  '김철수',
  '王小明，经理',
  'Nguyễn Thị Ánh',
  'ელენე მეგრელიშვილი',
  '👩‍👩‍👧‍👦 family 🏳️‍🌈',
  'A\u0301 combining, e\u0308 too',
  '𝔐𝔞𝔱𝔥 𝕒𝕝𝕡𝕙𝕒',
];

function written(): Partial<LoadedMail>[] {
  return [
    {},
    { text: '', html: page('only html') },
    { text: 'short\n', html: page('both') },
    { text: 'x '.repeat(4000) },
    { text: 'y'.repeat(5000), html: `<p>${'z'.repeat(5000)}</p>` },
    { text: 'tabs\tand = signs\n\n.\n..\n.dot\nFrom here\n' },
    { text: 'blanks at ends  \nand\t\n', html: '<pre> a \n</pre>' },
    { text: 'a\rb\r\nc\nd' },
    { text: 'bell \u0007 and escape \u001b, next line \u0085' },
    { html: page('Grüße '.repeat(300)), text: 'Grüße '.repeat(300) },
    ...SCRIPTS.map((text) => ({
      text: `${text}\n`.repeat(20),
      html: page(text.repeat(9)),
      subject: text,
      from: { email: 'shop@example.com', name: text },
    })),
  ];
}

function addressed(): Partial<LoadedMail>[] {
  return [
    { to: { email: 'ada@bücher.example', name: 'Ada' } },
    { to: { email: '"a b"@example.com' } },
    { to: { email: '"very.\\"odd\\"@x"@example.com', name: 'Odd' } },
    { to: { email: 'jörg@example.com', name: 'Jörg' } },
    { cc: Array.from({ length: 40 }, (_, i) => ({ email: `copy${i}@example.com`, name: `Copy, number ${i}` })) },
    { cc: [{ email: "o'brien+tag@example.com", name: "O'Brien" }, { email: 'x_y-z@sub.example.co.uk' }] },
    { from: { email: 'shop@example.com', name: 'Doe, Jane (Sales) "JD" \\ Co.' } },
    { from: { email: 'shop@example.com', name: 'word '.repeat(60).trim() } },
    { reply_to: { email: 'help@example.com', name: 'Help: desk; <all>' } },
    { in_reply_to: '<1001@example.com>' },
    { subject: 'word '.repeat(40).trim() },
    { subject: '🎉'.repeat(127) + 'x' },
    { subject: 'ends in ümlaut ü' },
    { subject: 'one ü in the middle of a long subject that has to be folded somewhere, most likely here' },
    { subject: '100% off! (really?) [yes] = "now" _under_' },
    {
      headers: [
        ['X-One', '1'],
        ['x-one', '2'],
        ['List-Unsubscribe', `<https://example.com/u/${'t'.repeat(300)}>, <mailto:u@example.com>`],
        ['X-Name', 'Ünïcode in a header'],
        ['X-Long', 'lorem ipsum '.repeat(60).trim()],
        ['Feedback-ID', '1:2:3:shop'],
      ],
    },
  ];
}

function filed(): Partial<LoadedMail>[] {
  const shown = page('<img src="cid:logo">');
  return [
    { attachments: [file('a.png', 'image/png', png)] },
    { text: undefined, attachments: [file('alone.pdf', 'application/pdf', png)] },
    { html: shown, attachments: [file('logo.png', 'image/png', png, 'logo')] },
    { text: undefined, html: shown, attachments: [file('logo.png', 'image/png', png, 'logo')] },
    { html: shown, attachments: [file('l.png', 'image/png', png, 'logo'), file('r.pdf', 'application/pdf', png)] },
    { html: shown, attachments: [file('loose.png', 'image/png', png, 'unused'), file('empty.txt', 'text/plain', '')] },
    { attachments: [file('Bericht – März.pdf', 'application/pdf', png)] },
    { attachments: [file(`${'lang'.repeat(30)}.txt`, 'text/plain', 'a')] },
    { attachments: SCRIPTS.map((name) => file(`${name}.bin`, 'application/octet-stream', png)) },
    { attachments: [file('it\'s 100% "quoted"; x=y\\z.txt', 'text/plain; charset="utf-8"', 'ü')] },
    { attachments: [file('mail.eml', 'message/rfc822', 'Subject: a\r\n\r\n.dot\r\n')] },
    { attachments: [file('large.bin', 'application/octet-stream', Buffer.alloc(300_000, 'abc'))] },
  ];
}

/** Mails of every kind that is sent. */
export const CORPUS: LoadedMail[] = [...written(), ...addressed(), ...filed()].map((over, index) => ({
  ...plain,
  message_id: `<corpus-${index}@mail.example.com>`,
  ...over,
}));
