import { each, FILE, recipient, request, TO, x, type Rule } from './contract.cases';

const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, i]));

const LINK = { attachment_type: 'url', file_name: 'a.txt', data: 'https://127.0.0.1/a.txt' };
const REF = { file_ref: '0199F0C2-5d6e-7c1a-9b57-3f2a8f0c1d2e' };
const files = (...attachments: unknown[]) => request({ attachments });
const file = (more: object) => files({ ...FILE, ...more });
const link = (data: string) => files({ ...LINK, data });
const AT = '/attachments/0';
type Refused = [unknown, ...string[]];

export const ATTACHMENT_RULES: Rule[] = [
  {
    rule: 'Attachment: exactly one of three shapes; 1 to 10 in a list',
    takes: {
      one: files(FILE),
      ten: files(...Array.from({ length: 10 }, () => FILE)),
      'ten here and ten there': request({
        attachments: Array.from({ length: 10 }, () => FILE),
        to: { contact_key: TO, attachments: Array.from({ length: 10 }, () => FILE) },
      }),
    },
    refuses: {
      none: [files(), '/attachments too_few'],
      11: [files(...Array.from({ length: 11 }, () => FILE)), '/attachments too_many'],
      'none of a recipient': [recipient({ attachments: [] }), '/to/attachments too_few'],
      '11 of a recipient': [
        recipient({ attachments: Array.from({ length: 11 }, () => FILE) }),
        '/to/attachments too_many',
      ],
      'a text': [files('QQ=='), `${AT} no_form_matches`],
      'an object': [request({ attachments: FILE }), '/attachments wrong_type'],
      'an empty one': [
        files({}),
        `${AT}/attachment_type missing_property`,
        `${AT}/file_name missing_property`,
        `${AT}/data missing_property`,
      ],
      'no kind': [files({ file_name: 'a', data: '' }), `${AT}/attachment_type missing_property`],
      'another kind': [file({ attachment_type: 'zip' }), `${AT}/attachment_type not_allowed_value`],
      'a kind in capitals': [file({ attachment_type: 'FILE' }), `${AT}/attachment_type not_allowed_value`],
      'something more': [file({ content_type: 'a/b' }), `${AT}/content_type unknown_property`],
    },
  },
  {
    rule: 'AttachmentFileData: file_name and base64 data',
    takes: {
      ...each(['', 'QQ==', 'QUE=', 'QUFB', '+/+/'], (data) => file({ data })),
      'metadata and cid': file({ cid: 'a', metadata: { 'x-a': 1 } }),
    },
    refuses: {
      ...each(
        ['QQ', 'QQ=', 'Q===', 'QQ==\n', ' QQ==', 'Q-_=', 'QQ==QQ==', 'Q\u00d1==', 'data:;base64,QQ==', '===='],
        (data): Refused => [file({ data }), `${AT}/data invalid_base64`],
      ),
      'no data': [files({ attachment_type: 'file', file_name: 'a' }), `${AT}/data missing_property`],
      'no name': [files({ attachment_type: 'file', data: '' }), `${AT}/file_name missing_property`],
      'null as data': [file({ data: null }), `${AT}/data wrong_type`],
    },
  },
  {
    rule: 'FileName: 1 to 255, no path, no control character',
    takes: each(
      ['a', x(255), '😀'.repeat(255), 'счёт 7 – Öl.pdf', '..', '"a".txt', 'a;b=c.txt', 'CON', '.htaccess'],
      (file_name) => file({ file_name }),
    ),
    refuses: {
      empty: [file({ file_name: '' }), `${AT}/file_name too_short`],
      256: [file({ file_name: x(256) }), `${AT}/file_name too_long`],
      ...each(['a/b', '../a', 'a\\b', '/'], (file_name): Refused => [
        file({ file_name }),
        `${AT}/file_name bad_format`,
      ]),
      ...each(['a\nb', 'a\r', 'a\u0000', 'a\tb', 'a\u2028'], (file_name): Refused => [
        file({ file_name }),
        `${AT}/file_name control_character`,
      ]),
      null: [file({ file_name: null }), `${AT}/file_name wrong_type`],
    },
  },
  {
    rule: 'ContentIdHeader: 1 to 128 of A-Z a-z 0-9 . _ ~ -',
    takes: each(['a', x(128), 'aZ0._~-'], (cid) => file({ cid })),
    refuses: {
      129: [file({ cid: x(129) }), `${AT}/cid too_long`],
      ...each(['', 'a@b', '<a>', 'a b', 'a\n', 'ü', 'a"'], (cid): Refused => [file({ cid }), `${AT}/cid bad_format`]),
      null: [file({ cid: null }), `${AT}/cid wrong_type`],
    },
  },
  {
    rule: 'AttachmentMetadata: 32 keys of x- or svc-, 64 characters each',
    takes: {
      none: file({ metadata: {} }),
      '32': file({ metadata: keys(32) }),
      'a key of 64': file({ metadata: { [`x-${x(62)}`]: null } }),
      'both prefixes, any value': file({ metadata: { 'x-a': [1, { b: null }], 'svc-A._-9': { b: 2 } } }),
    },
    refuses: {
      33: [file({ metadata: keys(33) }), `${AT}/metadata too_many`],
      'a key of 65': [file({ metadata: { [`x-${x(63)}`]: 1 } }), `${AT}/metadata/x-${x(63)} bad_format`],
      ...each(['a', 'x-', 'X-a', 'svc-', 'x_a', 'x-ü', 'x-a b', 'sv-a'], (key): Refused => [
        file({ metadata: { [key]: 1 } }),
        `${AT}/metadata/${key} bad_format`,
      ]),
      ...each([null, [], 'x'], (metadata): Refused => [file({ metadata }), `${AT}/metadata wrong_type`]),
    },
  },
  {
    rule: 'AttachmentFileRef: the GUID of a part',
    takes: {},
    refuses: {
      'no such part': [files(REF), `${AT}/file_ref file_ref_unknown`],
      'no such part, with kind': [
        files({ ...REF, attachment_type: 'file', file_name: 'a', cid: 'b', metadata: {} }),
        `${AT}/file_ref file_ref_unknown`,
      ],
      ...each(
        [
          'a',
          '',
          `{${REF.file_ref}}`,
          REF.file_ref.replaceAll('-', ''),
          `${REF.file_ref}0`,
          REF.file_ref.replace('F', 'G'),
        ],
        (file_ref): Refused => [files({ file_ref }), `${AT}/file_ref bad_format`],
      ),
      'with data': [files({ ...REF, data: '' }), `${AT}/data unknown_property`, `${AT}/file_ref file_ref_unknown`],
      'of kind url': [
        files({ ...REF, attachment_type: 'url' }),
        `${AT}/attachment_type not_allowed_value`,
        `${AT}/file_ref file_ref_unknown`,
      ],
      'a name of 256': [
        files({ ...REF, file_name: x(256) }),
        `${AT}/file_name too_long`,
        `${AT}/file_ref file_ref_unknown`,
      ],
    },
  },
  {
    rule: 'AttachmentUrl: https, 20 to 2,048 characters, a public address',
    takes: {},
    refuses: {
      'an address of our own': [files(LINK), `${AT}/data attachment_address_refused`],
      '20 characters': [link('https://127.0.0.1/ab'), `${AT}/data attachment_address_refused`],
      '2,048 characters': [link(`https://127.0.0.1/${x(2030)}`), `${AT}/data attachment_address_refused`],
      '19 characters': [link('https://127.0.0.1/a'), `${AT}/data too_short`],
      '2,049 characters': [link(`https://127.0.0.1/${x(2031)}`), `${AT}/data too_long`],
      credentials: [link('https://u:p@127.0.0.1/a.txt'), `${AT}/data attachment_address_refused`],
      ...each(
        [
          'http://127.0.0.1/a.txt',
          'HTTPS://127.0.0.1/a.txt',
          'ftp://127.0.0.1/a.txt',
          'https://127.0.0.1/a b.txt',
          'https://127.0.0.1/ü.txt',
          'https://127.0.0.1/100%.txt',
          'https:///127.0.0.1/aa.txt',
          'https://127.0.0.1:99999/a',
          'https://127.0.0.1\\a.txt',
          'https://127.0.0.1/a\nb',
        ],
        (data): Refused => [link(data), `${AT}/data bad_format`],
      ),
      'no name': [
        files({ attachment_type: 'url', data: LINK.data }),
        `${AT}/file_name missing_property`,
        `${AT}/data attachment_address_refused`,
      ],
      null: [files({ ...LINK, data: null }), `${AT}/data wrong_type`],
    },
  },
];
