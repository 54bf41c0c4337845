import { campaignFaults } from './faults/faults';

const launch = (more: object) => ({ from: 'hello@example.com', subject: 'Hello', html: '<p>Hello</p>', ...more });
const without = (key: string) => Object.fromEntries(Object.entries(launch({})).filter(([name]) => name !== key));
const named = (name: string) => ({ email: 'a@b.co', name });
const FILE = { attachment_type: 'file', file_name: 'a.txt', data: 'QQ==' };
const URL_FILE = { attachment_type: 'url', file_name: 'a.pdf', data: 'https://shop.example/terms.pdf' };

describe('a campaign is accepted with', () => {
  it.each([
    ['the minimum', launch({})],
    ['text instead of html', { ...without('html'), text: 'Hello' }],
    [
      'everything',
      launch({ name: 'Hello', from: { email: 'a@b.co', name: 'A' }, text: 'x', cc: ['a@b.co'], headers: { a: null } }),
    ],
    ['a priority', launch({ priority: 'bulk' })],
    ['on_uncertain', launch({ on_uncertain: 'hold' })],
    ['on_missing', launch({ on_missing: 'fail' })],
    ['valid_for of 1 second', launch({ valid_for: 1 })],
    ['valid_for of 1 year', launch({ valid_for: 31_536_000 })],
    ['a name of 1,000 characters', launch({ name: 'x'.repeat(1000) })],
    [
      'the further fields of its response',
      launch({ id: 'a', slug: 'b', version: 1, launched_at: 'c', name: null, valid_for: null }),
    ],
    [
      'braces that are not a tag',
      launch({ from: { email: 'a@b.co', name: '{A} {' }, headers: { a: '{"b":{}}', c: null } }),
    ],
    ['templates', launch({ subject: '{{ a }}', text: '{% if a %}{% endif %}', html: '{{ a }}', name: '{{ a }}' })],
    ['no attachments', launch({ attachments: [] })],
    [
      'a file that it already has',
      launch({ attachments: [{ file_name: 'a.txt', content_type: 'text/plain', size: 1 }] }),
    ],
    ['a file to be fetched', launch({ attachments: [FILE, { ...URL_FILE, cid: 'terms' }] })],
    ['10 attachments', launch({ attachments: Array.from({ length: 10 }, () => FILE) })],
  ])('%s', (_name, value) => {
    expect(campaignFaults(value)).toEqual([]);
  });
});

describe('a campaign is refused for', () => {
  it.each([
    ['a list', [], '', 'wrong_type'],
    ['no sender', without('from'), '/from', 'missing_property'],
    ['no subject', without('subject'), '/subject', 'missing_property'],
    ['an empty subject', launch({ subject: '' }), '/subject', 'too_short'],
    ['no body', without('html'), '/html', 'missing_property'],
    ['empty bodies', launch({ html: '', text: '' }), '/html', 'missing_property'],
    ['a bad sender', launch({ from: 'hello' }), '/from', 'invalid_email'],
    ['an unknown priority', launch({ priority: 'urgent' }), '/priority', 'not_allowed_value'],
    ['an unknown on_uncertain', launch({ on_uncertain: 'drop' }), '/on_uncertain', 'not_allowed_value'],
    ['an unknown on_missing', launch({ on_missing: 'skip' }), '/on_missing', 'not_allowed_value'],
    ['valid_for of 0 seconds', launch({ valid_for: 0 }), '/valid_for', 'not_allowed_value'],
    ['valid_for of more than a year', launch({ valid_for: 31_536_001 }), '/valid_for', 'not_allowed_value'],
    ['valid_for of half a second', launch({ valid_for: 0.5 }), '/valid_for', 'wrong_type'],
    ['an empty name', launch({ name: '' }), '/name', 'too_short'],
    ['a name of 1,001 characters', launch({ name: 'x'.repeat(1001) }), '/name', 'too_long'],
    ['a name with line break', launch({ name: 'a\nb' }), '/name', 'control_character'],
    ['an unknown property', launch({ form: 'x' }), '/form', 'unknown_property'],
    ['recipients', launch({ to: 'a@b.co' }), '/to', 'unknown_property'],
    ['a template in the name of the sender', launch({ from: named('{{ a }}') }), '/from/name', 'template_not_read'],
    [
      'a template in the name of reply_to',
      launch({ reply_to: named('{% if a %}') }),
      '/reply_to/name',
      'template_not_read',
    ],
    ['a template in the name of a cc', launch({ cc: ['a@b.co', named('{{a}}')] }), '/cc/1/name', 'template_not_read'],
    ['a template in the name of a bcc', launch({ bcc: [named('{{a}}')] }), '/bcc/0/name', 'template_not_read'],
    ['a template in a header', launch({ headers: { 'X-~A': '1 {{ a }}' } }), '/headers/X-~0A', 'template_not_read'],
    [
      'a template in a file name',
      launch({ attachments: [{ ...FILE, file_name: '{{ a }}.txt' }] }),
      '/attachments/0/file_name',
      'template_not_read',
    ],
    ['a template in in_reply_to', launch({ in_reply_to: '<{{ a }}>' }), '/in_reply_to', 'template_not_read'],
    [
      'a kept file without a name',
      launch({ attachments: [{ size: 1 }] }),
      '/attachments/0/file_name',
      'missing_property',
    ],
    ['a version that is not a number', launch({ version: '1' }), '/version', 'wrong_type'],
    ['11 attachments', launch({ attachments: Array.from({ length: 11 }, () => FILE) }), '/attachments', 'too_many'],
    ['a bad file', launch({ attachments: [{ ...FILE, data: 'x' }] }), '/attachments/0/data', 'invalid_base64'],
    [
      'a file to be fetched from no https address',
      launch({ attachments: [{ ...FILE, attachment_type: 'url', data: 'http://shop.example/terms.pdf' }] }),
      '/attachments/0/data',
      'bad_format',
    ],
    [
      'a file to be fetched that has no name',
      launch({ attachments: [{ attachment_type: 'url', data: URL_FILE.data }] }),
      '/attachments/0/file_name',
      'missing_property',
    ],
    [
      'a file in a form part',
      launch({ attachments: [{ file_ref: 'x' }] }),
      '/attachments/0',
      'attachment_kind_unavailable',
    ],
    ['an attachment that is not an object', launch({ attachments: [1] }), '/attachments/0', 'no_form_matches'],
  ])('%s', (_name, value, pointer, code) => {
    expect(campaignFaults(value)).toContainEqual(expect.objectContaining({ pointer, code }));
  });

  it('templates in fields that are sent as they are, with advice where to put such values', () => {
    const detail = (found: string, advice: string) =>
      `«${found}» would be sent as it is: only subject, text and html are templates; ${advice}`;
    expect(campaignFaults(launch({ from: named('{{ a }}'), headers: { b: '{{ c }}' } }))).toEqual([
      expect.objectContaining({ detail: detail('{{ a }}', 'the sender has the same name in every mail') }),
      expect.objectContaining({ detail: detail('{{ c }}', 'give it with each call, in message.headers') }),
    ]);
    for (const odd of [{ from: 1 }, { cc: '{{' }, { bcc: [null, 1, '{{'] }, { headers: '{{' }, { reply_to: null }]) {
      const codes = campaignFaults(launch(odd)).map(({ code }) => code);
      expect(codes).not.toContain('template_not_read');
    }
  });

  it('a misspelt property, with the name that was meant', () => {
    expect(campaignFaults(launch({ form: 'x' }))[0]!.detail).toBe('«form» is not known here; did you mean from?');
  });
});
