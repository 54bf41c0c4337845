import { each, FILE, recipient, request, TO, repeatX, type Rule } from './contract.cases';

const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, i]));

const URL_FILE = { attachment_type: 'url', file_name: 'a.txt', data: 'https://127.0.0.1/a.txt' };
const REF_FILE = { file_ref: '0199F0C2-5d6e-7c1a-9b57-3f2a8f0c1d2e' };
const files = (...attachments: unknown[]) => request({ attachments });
const file = (more: object) => files({ ...FILE, ...more });
const link = (data: string) => files({ ...URL_FILE, data });
const POINTER = '/attachments/0';
type RefusedCase = [unknown, ...string[]];

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
      'a text': [files('QQ=='), `${POINTER} no_form_matches`],
      'an object': [request({ attachments: FILE }), '/attachments wrong_type'],
      'an empty one': [
        files({}),
        `${POINTER}/attachment_type missing_property`,
        `${POINTER}/file_name missing_property`,
        `${POINTER}/data missing_property`,
      ],
      'no kind': [files({ file_name: 'a', data: '' }), `${POINTER}/attachment_type missing_property`],
      'another kind': [file({ attachment_type: 'zip' }), `${POINTER}/attachment_type not_allowed_value`],
      'a kind in capitals': [file({ attachment_type: 'FILE' }), `${POINTER}/attachment_type not_allowed_value`],
      'something more': [file({ content_type: 'a/b' }), `${POINTER}/content_type unknown_property`],
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
        (data): RefusedCase => [file({ data }), `${POINTER}/data invalid_base64`],
      ),
      'no data': [files({ attachment_type: 'file', file_name: 'a' }), `${POINTER}/data missing_property`],
      'no name': [files({ attachment_type: 'file', data: '' }), `${POINTER}/file_name missing_property`],
      'null as data': [file({ data: null }), `${POINTER}/data wrong_type`],
    },
  },
  {
    rule: 'FileName: 1 to 255, no path, no control character',
    takes: each(
      ['a', repeatX(255), '😀'.repeat(255), 'счёт 7 – Öl.pdf', '..', '"a".txt', 'a;b=c.txt', 'CON', '.htaccess'],
      (file_name) => file({ file_name }),
    ),
    refuses: {
      empty: [file({ file_name: '' }), `${POINTER}/file_name too_short`],
      256: [file({ file_name: repeatX(256) }), `${POINTER}/file_name too_long`],
      ...each(['a/b', '../a', 'a\\b', '/'], (file_name): RefusedCase => [
        file({ file_name }),
        `${POINTER}/file_name bad_format`,
      ]),
      ...each(['a\nb', 'a\r', 'a\u0000', 'a\tb', 'a\u2028'], (file_name): RefusedCase => [
        file({ file_name }),
        `${POINTER}/file_name control_character`,
      ]),
      null: [file({ file_name: null }), `${POINTER}/file_name wrong_type`],
    },
  },
  {
    rule: 'ContentIdHeader: 1 to 128 of A-Z a-z 0-9 . _ ~ -',
    takes: each(['a', repeatX(128), 'aZ0._~-'], (cid) => file({ cid })),
    refuses: {
      129: [file({ cid: repeatX(129) }), `${POINTER}/cid too_long`],
      ...each(['', 'a@b', '<a>', 'a b', 'a\n', 'ü', 'a"'], (cid): RefusedCase => [
        file({ cid }),
        `${POINTER}/cid bad_format`,
      ]),
      null: [file({ cid: null }), `${POINTER}/cid wrong_type`],
    },
  },
  {
    rule: 'AttachmentMetadata: 32 keys of x- or svc-, 64 characters each',
    takes: {
      none: file({ metadata: {} }),
      '32': file({ metadata: keys(32) }),
      'a key of 64': file({ metadata: { [`x-${repeatX(62)}`]: null } }),
      'both prefixes, any value': file({ metadata: { 'x-a': [1, { b: null }], 'svc-A._-9': { b: 2 } } }),
    },
    refuses: {
      33: [file({ metadata: keys(33) }), `${POINTER}/metadata too_many`],
      'a key of 65': [
        file({ metadata: { [`x-${repeatX(63)}`]: 1 } }),
        `${POINTER}/metadata/x-${repeatX(63)} bad_format`,
      ],
      ...each(['a', 'x-', 'X-a', 'svc-', 'x_a', 'x-ü', 'x-a b', 'sv-a'], (key): RefusedCase => [
        file({ metadata: { [key]: 1 } }),
        `${POINTER}/metadata/${key} bad_format`,
      ]),
      ...each([null, [], 'x'], (metadata): RefusedCase => [file({ metadata }), `${POINTER}/metadata wrong_type`]),
    },
  },
  {
    rule: 'AttachmentFileRef: the GUID of a part',
    takes: {},
    refuses: {
      'no such part': [files(REF_FILE), `${POINTER}/file_ref file_ref_unknown`],
      'no such part, with kind': [
        files({ ...REF_FILE, attachment_type: 'file', file_name: 'a', cid: 'b', metadata: {} }),
        `${POINTER}/file_ref file_ref_unknown`,
      ],
      ...each(
        [
          'a',
          '',
          `{${REF_FILE.file_ref}}`,
          REF_FILE.file_ref.replaceAll('-', ''),
          `${REF_FILE.file_ref}0`,
          REF_FILE.file_ref.replace('F', 'G'),
        ],
        (file_ref): RefusedCase => [files({ file_ref }), `${POINTER}/file_ref bad_format`],
      ),
      'with data': [
        files({ ...REF_FILE, data: '' }),
        `${POINTER}/data unknown_property`,
        `${POINTER}/file_ref file_ref_unknown`,
      ],
      'of kind url': [
        files({ ...REF_FILE, attachment_type: 'url' }),
        `${POINTER}/attachment_type not_allowed_value`,
        `${POINTER}/file_ref file_ref_unknown`,
      ],
      'a name of 256': [
        files({ ...REF_FILE, file_name: repeatX(256) }),
        `${POINTER}/file_name too_long`,
        `${POINTER}/file_ref file_ref_unknown`,
      ],
    },
  },
  {
    rule: 'AttachmentUrl: https, 20 to 2,048 characters, a public address',
    takes: {},
    refuses: {
      'an address of our own': [files(URL_FILE), `${POINTER}/data attachment_address_refused`],
      '20 characters': [link('https://127.0.0.1/ab'), `${POINTER}/data attachment_address_refused`],
      '2,048 characters': [link(`https://127.0.0.1/${repeatX(2030)}`), `${POINTER}/data attachment_address_refused`],
      '19 characters': [link('https://127.0.0.1/a'), `${POINTER}/data too_short`],
      '2,049 characters': [link(`https://127.0.0.1/${repeatX(2031)}`), `${POINTER}/data too_long`],
      credentials: [link('https://u:p@127.0.0.1/a.txt'), `${POINTER}/data attachment_address_refused`],
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
        (data): RefusedCase => [link(data), `${POINTER}/data bad_format`],
      ),
      'no name': [
        files({ attachment_type: 'url', data: URL_FILE.data }),
        `${POINTER}/file_name missing_property`,
        `${POINTER}/data attachment_address_refused`,
      ],
      null: [files({ ...URL_FILE, data: null }), `${POINTER}/data wrong_type`],
    },
  },
];
