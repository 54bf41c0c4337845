import { each, FILE, json, message, recipient, request, to, TO, repeatX, type Rule } from './contract.cases';

const addresses = (count: number) => Array.from({ length: count }, (_, i) => `p${i}@contract.example`);
const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });
const deepList = (levels: number): unknown => (levels === 0 ? 1 : [deepList(levels - 1)]);
const sized = (bytes: number) => ({ a: repeatX(bytes - '{"a":""}'.length) });
const profile = (value: unknown) => request({ profile_data: value });

type RefusedCase = [unknown, ...string[]];

export const RECIPIENT_RULES: Rule[] = [
  {
    rule: 'EmailRecipients: one, or 1 to 100, all different as JSON values',
    takes: {
      '1 in a list': to([TO]),
      '100 in a list': to(addresses(100)),
      'every form in one list': to([
        TO,
        { email: TO },
        { email: TO, name: 'A' },
        { sms: '+123' },
        { contact_key: TO },
        { crm: 'C' },
      ]),
      'other case': to([TO, TO.toUpperCase()]),
      'other data': to([{ contact_key: TO }, { contact_key: TO, profile_data: { a: 1 } }]),
      'arrays in other order': to([
        { contact_key: TO, profile_data: { a: [1, 2] } },
        { contact_key: TO, profile_data: { a: [2, 1] } },
      ]),
      'text and number': to([
        { contact_key: TO, profile_data: { a: '1' } },
        { contact_key: TO, profile_data: { a: 1 } },
      ]),
    },
    refuses: {
      none: [to([]), '/to too_few'],
      101: [to(addresses(101)), '/to too_many'],
      'a list in a list': [to([[TO]]), '/to/0 no_form_matches'],
      ...each([1, true, null], (value): RefusedCase => [to([value]), '/to/0 no_form_matches']),
      'the same text': [to([TO, 'b@example.com', TO]), '/to/2 not_unique'],
      'the same object': [
        to([
          { email: TO, name: 'A' },
          { name: 'A', email: TO },
        ]),
        '/to/1 not_unique',
      ],
      'the same deep down': [
        to([
          { contact_key: { id: 'a' }, profile_data: { a: [1], b: { c: 2, d: 3 } } },
          { profile_data: { b: { d: 3, c: 2 }, a: [1.0] }, contact_key: { id: 'a' } },
        ]),
        '/to/1 not_unique',
      ],
      'the same number in two spellings': [
        json(
          `{"campaign":"order","to":[{"contact_key":"${TO}","profile_data":{"a":100}},{"contact_key":"${TO}","profile_data":{"a":1e2}}]}`,
        ),
        '/to/1 not_unique',
      ],
      'every fault of every one': [
        to([TO, 'x', { email: 'y' }, { sms: 'z' }, { contact_key: 'w', message: { cc: ['v'] } }]),
        '/to/1 invalid_email',
        '/to/2/email invalid_email',
        '/to/3/sms invalid_phone',
        '/to/4/contact_key invalid_email',
        '/to/4/message/cc/0 invalid_email',
      ],
    },
  },
  {
    rule: 'EmailMessageRecipient: contact_key, and what is for this recipient alone',
    takes: {
      'by address': recipient({}),
      'by address with name': to({ contact_key: { email: TO, name: 'A' } }),
      'by key': to({ contact_key: { crm: 'C' } }),
      'with another address': recipient({ email_address: 'b@example.com' }),
      'with another address and name': recipient({ email_address: { email: 'b@example.com', name: 'B' } }),
      'with everything': recipient({ profile_data: {}, message: {}, attachments: [FILE] }),
    },
    refuses: {
      'no contact_key': [to({ message: {} }), '/to/contact_key missing_property'],
      'email in its place': [
        to({ email: TO, message: {} }),
        '/to/email unknown_property',
        '/to/contact_key missing_property',
      ],
      'null for contact_key': [to({ contact_key: null }), '/to/contact_key no_form_matches'],
      'an empty contact_key': [to({ contact_key: {} }), '/to/contact_key too_few'],
      'a list for contact_key': [to({ contact_key: [TO] }), '/to/contact_key no_form_matches'],
      'a recipient in it': [
        to({ contact_key: { contact_key: { id: 'a' } } }),
        '/to/contact_key/contact_key wrong_type',
      ],
      'a list as email_address': [recipient({ email_address: [TO] }), '/to/email_address no_form_matches'],
      'a key as email_address': [
        recipient({ email_address: { id: 'a' } }),
        '/to/email_address/id unknown_property',
        '/to/email_address/email missing_property',
      ],
      'something more': [recipient({ cc: [] }), '/to/cc unknown_property'],
      'null for message': [recipient({ message: null }), '/to/message wrong_type'],
    },
  },
  {
    rule: 'external_message_id: 1 to 128 of A-Z a-z 0-9 . _ ~ -',
    takes: each(['a', repeatX(128), 'aZ0._~-', '..', '-'], (id) => recipient({ external_message_id: id })),
    refuses: {
      'an empty one': [recipient({ external_message_id: '' }), '/to/external_message_id too_short'],
      'one of 129': [recipient({ external_message_id: repeatX(129) }), '/to/external_message_id too_long'],
      ...each(['a/b', 'a b', 'ä', 'a\n', 'a:b', '<a>', 'a%20'], (id): RefusedCase => [
        recipient({ external_message_id: id }),
        '/to/external_message_id bad_format',
      ]),
      ...each([1, null, { $ne: null }, ['a']], (id): RefusedCase => [
        recipient({ external_message_id: id }),
        '/to/external_message_id wrong_type',
      ]),
      'the same twice': [
        to(['a@example.com', 'b@example.com'].map((key) => ({ contact_key: key, external_message_id: 'twice' }))),
        '/to/1/external_message_id external_message_id_taken',
      ],
    },
  },
  {
    rule: 'ProfileData: any JSON object of 64 KiB and 32 levels',
    takes: {
      empty: profile({}),
      'every kind of value': profile({ a: [null, true, 1.5, 'x', { b: [] }], '': 0, 'ü.$': 1 }),
      'names of the prototype': profile(json('{"__proto__":{"a":1},"constructor":{"prototype":1},"toString":1}')),
      '32 levels': profile(deep(32)),
      '32 levels with lists': profile({ a: deepList(31) }),
      '65,536 bytes': profile(sized(65_536)),
      'control characters': profile({ a: '\u0000\n\u2028' }),
      'the largest numbers': profile({ a: Number.MAX_SAFE_INTEGER, b: 1.7976931348623157e308, c: 5e-324, d: -0 }),
      'for one recipient': recipient({ profile_data: sized(65_536) }),
    },
    refuses: {
      ...each([[], 'x', 1, true], (value): RefusedCase => [profile(value), '/profile_data wrong_type']),
      '33 levels': [profile(deep(33)), `/profile_data${'/a'.repeat(32)} profile_data_too_deep`],
      '33 levels with lists': [profile({ a: deepList(32) }), `/profile_data/a${'/0'.repeat(31)} profile_data_too_deep`],
      '65,537 bytes': [profile(sized(65_537)), '/profile_data profile_data_too_large'],
      '65,538 bytes in é': [profile({ a: 'é'.repeat(32_765) }), '/profile_data profile_data_too_large'],
      'half a character': [profile({ 'a/b': ['x\udc00'] }), '/profile_data/a~1b/0 invalid_unicode'],
      'half a character in a name': [profile({ a: { '\ud800': 1 } }), '/profile_data/a invalid_unicode'],
      'of one recipient': [
        recipient({ profile_data: deep(33) }),
        `/to/profile_data${'/a'.repeat(32)} profile_data_too_deep`,
      ],
    },
  },
];

const SUBJECT_POINTER = '/message/subject';
export const DETAIL_RULES: Rule[] = [
  {
    rule: 'subject: 255 characters, no line break or control character',
    takes: {
      empty: message({ subject: '' }),
      '255': message({ subject: repeatX(255) }),
      '255 emoji': message({ subject: '😀'.repeat(255) }),
      'encoded words': message({ subject: '=?utf-8?q?a?=' }),
    },
    refuses: {
      256: [message({ subject: repeatX(256) }), `${SUBJECT_POINTER} too_long`],
      '256 emoji': [message({ subject: '😀'.repeat(256) }), `${SUBJECT_POINTER} too_long`],
      ...each(
        ['a\rb', 'a\nb', 'a\r\nBcc: b@example.com', 'a\tb', 'a\u0000', 'a\u007f', 'a\u0085b', 'a\u2028b', 'a\u2029b'],
        (subject): RefusedCase => [message({ subject }), `${SUBJECT_POINTER} control_character`],
      ),
      ...each([null, 1, ['a']], (subject): RefusedCase => [message({ subject }), `${SUBJECT_POINTER} wrong_type`]),
      'half a character': [message({ subject: 'a\ud83d' }), `${SUBJECT_POINTER} invalid_unicode`],
    },
  },
  {
    rule: 'text and html: 1 MiB each, templates that parse',
    takes: {
      empty: message({ text: '', html: '' }),
      '1 MiB': message({ text: repeatX(1_048_576), html: 'é'.repeat(524_288) }),
      'every control': message({ text: '\u0000\u0001\r\n\t' }),
      'a template': message({
        subject: '{{ a }}',
        text: '{% if a %}{{ a | upcase }}{% endif %}',
        html: '<p>{{ profile.a }}</p>',
      }),
      MJML: message({ html: '<mjml><mj-body></mj-body></mjml>' }),
      'no template': message({ text: '{ { a } } %}' }),
    },
    refuses: {
      'a text of 1 MiB + 1': [message({ text: repeatX(1_048_577) }), '/message/text body_too_large_for_mail'],
      'html of 1 MiB + 2 in é': [message({ html: 'é'.repeat(524_289) }), '/message/html body_too_large_for_mail'],
      'half a character': [message({ text: '\ud83d' }), '/message/text invalid_unicode'],
      null: [message({ text: null, html: null }), '/message/text wrong_type', '/message/html wrong_type'],
      'an open output': [message({ text: 'a\n{{ b' }), '/message/text template_invalid'],
      'an open tag': [message({ html: '{% if %}' }), '/message/html template_invalid'],
      'an unknown tag': [message({ subject: '{% nonsense %}' }), '/message/subject template_invalid'],
      'what Liquid would pass over': [message({ text: "{{ name ?? 'x' }}" }), '/message/text template_invalid'],
      'a link of an editor': [message({ html: '<a href="%7B%7Bu%7D%7D">' }), '/message/html template_invalid'],
      'all of them': [
        message({ subject: '{{', text: '{{', html: '{{' }),
        '/message/subject template_invalid',
        '/message/text template_invalid',
        '/message/html template_invalid',
      ],
      'for one recipient': [recipient({ message: { html: '{% endfor %}' } }), '/to/message/html template_invalid'],
      'broken MJML': [message({ html: '<mjml><mj-nonsense/></mjml>' }), '/message/html template_invalid'],
    },
  },
  {
    rule: 'reply_to, cc and bcc: EmailValues, 0 to 10, all different',
    takes: {
      none: message({ cc: [], bcc: [] }),
      ten: message({ cc: addresses(10), bcc: addresses(10) }),
      'the same in cc and bcc': message({ cc: [TO], bcc: [TO] }),
      'two forms of one': message({ cc: [TO, { email: TO }, { email: TO, name: 'A' }] }),
      reply_to: message({ reply_to: TO }),
      'reply_to with name': message({ reply_to: { email: TO, name: 'A' } }),
    },
    refuses: {
      '11 in cc': [message({ cc: addresses(11) }), '/message/cc too_many'],
      '11 in bcc': [message({ bcc: addresses(11) }), '/message/bcc too_many'],
      'twice in cc': [message({ cc: [TO, TO] }), '/message/cc/1 not_unique'],
      'twice in bcc': [
        message({
          bcc: [
            { email: TO, name: 'A' },
            { name: 'A', email: TO },
          ],
        }),
        '/message/bcc/1 not_unique',
      ],
      'a text': [message({ cc: TO }), '/message/cc wrong_type'],
      'a key': [
        message({ bcc: [{ sms: '+123' }] }),
        '/message/bcc/0/sms unknown_property',
        '/message/bcc/0/email missing_property',
      ],
      null: [message({ cc: null }), '/message/cc wrong_type'],
      'no address': [message({ reply_to: 'ada' }), '/message/reply_to invalid_email'],
      'a list as reply_to': [message({ reply_to: [TO] }), '/message/reply_to no_form_matches'],
      'a line break': [message({ reply_to: { email: TO, name: 'a\nb' } }), '/message/reply_to/name control_character'],
      'an unknown detail': [message({ from: TO }), '/message/from unknown_property'],
    },
  },
  {
    rule: 'in_reply_to: a Message-ID in angle brackets',
    takes: each(['<a>', '<a@b>', `<${repeatX(988)}>`, '<ü@b>'], (id) => message({ in_reply_to: id })),
    refuses: {
      ...each(['a@b', '<>', '<a><b>', '<a', 'a>', '<<a>>', '', ' <a>', '<a> '], (id): RefusedCase => [
        message({ in_reply_to: id }),
        '/message/in_reply_to bad_format',
      ]),
      'a line break': [message({ in_reply_to: '<a\r\nb>' }), '/message/in_reply_to control_character'],
      'over a line': [message({ in_reply_to: `<${repeatX(989)}>` }), '/message/in_reply_to too_long'],
      null: [message({ in_reply_to: null }), '/message/in_reply_to wrong_type'],
    },
  },
  {
    rule: 'headers: at least one; names are tokens, values text or null',
    takes: {
      'every token character': message({ headers: { "!#$%&'*+-.^_`|~09aZ": 'a' } }),
      null: message({ headers: { 'X-A': null } }),
      'an empty value': message({ headers: { 'X-A': '' } }),
      'a name of 200': message({ headers: { [repeatX(200)]: 'a' } }),
      'restricted ones': message({ headers: { From: 'x', TO: 'y', 'content-type': 'z', 'MIME-Version': null } }),
      '100 of them': message({ headers: keys100() }),
      'a long value': message({ headers: { 'X-A': repeatX(5000) } }),
      '64 KiB of them': message({ headers: { 'X-A': repeatX(65_533) } }),
    },
    refuses: {
      none: [message({ headers: {} }), '/message/headers too_few'],
      'a list': [message({ headers: [] }), '/message/headers wrong_type'],
      null: [message({ headers: null }), '/message/headers wrong_type'],
      ...each(['X-A:', 'X A', 'X-ü', '', '(c)', 'a@b', 'a\r\nb', '"a"', 'a,b', 'a;b', '[a]'], (name): RefusedCase => [
        message({ headers: { [name]: 'a' } }),
        `/message/headers/${name} bad_format`,
      ]),
      'a byte over 64 KiB of them': [
        message({ headers: { 'X-A': repeatX(65_534) } }),
        '/message/headers headers_too_large',
      ],
      'a name of 201': [message({ headers: { [repeatX(201)]: 'a' } }), '/message/headers bad_format'],
      ...each([1, true, {}, ['a']], (value): RefusedCase => [
        message({ headers: { 'X-A': value } }),
        '/message/headers/X-A wrong_type',
      ]),
      ...each(['a\nb', 'a\r\nBcc: x', 'a\u0000', 'a\tb', '\u2028'], (value): RefusedCase => [
        message({ headers: { 'X-A': value } }),
        '/message/headers/X-A control_character',
      ]),
    },
  },
];

function keys100(): Record<string, string> {
  return Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`X-H-${i}`, `value ${i}`]));
}
