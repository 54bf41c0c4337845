/**
 * The rules of the send contract by name, each with requests on both sides of its boundaries. Requests under `refuses`
 * must have exactly the faults that are listed with them.
 */
export interface Rule {
  rule: string;
  takes: Record<string, object>;
  refuses: Record<string, [request: unknown, ...faults: string[]]>;
}

export const CAMPAIGN_ID = 'CAMPAIGN-ID-OF-ORDER';
export const FILE = { attachment_type: 'file', file_name: 'a.txt', data: 'QQ==' };
export const repeatX = (count: number) => 'x'.repeat(count);
export const TO = 'ada@contract.example';
export const request = (more: object) => ({ campaign: 'order', to: TO, ...more });
export const to = (value: unknown) => request({ to: value });
export const message = (more: object) => request({ message: more });
export const recipient = (more: object) => to({ contact_key: TO, ...more });
const campaign = (value: unknown) => request({ campaign: value });
export const json = (text: string): object => JSON.parse(text) as object;

/** `{a: one(a), b: one(b)}` of a list of values: the value names the case. */
export function each<T, C>(values: T[], one: (value: T) => C): Record<string, C> {
  const named = (value: T) => {
    const name = JSON.stringify(value);
    return name.length <= 60 ? name : `${name.slice(0, 60)}… of ${name.length}`;
  };
  return Object.fromEntries(values.map((value) => [named(value), one(value)]));
}

const SLUG_40 = repeatX(40);
export const CAMPAIGNS = ['order', 'abc', SLUG_40, 'aZ0-_', 'A1b2C3d4E5f6G7h8I9'];
const UNKNOWN_ID = 'A1b2C3d4E5f6G7h8I0';

const VALID_ADDRESSES = [
  'a@b.co',
  'Ada.Lovelace@Example.COM',
  'a+tag@example.com',
  "!#$%&'*+-/=?^_`{|}~@example.com",
  '0@0.example',
  '"a b"@example.com',
  '"a@b"@example.com',
  '"\\""@example.com',
  '"a..b"@example.com',
  'é@example.com',
  'a@bücher.example',
  'a@xn--bcher-kva.example',
  `${repeatX(64)}@example.com`,
  `a@${repeatX(63)}.example`,
  '用户@例子.example',
  '"<a>"@example.com',
  'a@a-b.example',
  `${repeatX(64)}@${repeatX(63)}.${repeatX(63)}.${repeatX(58)}.de`,
];
const INVALID_ADDRESSES = [
  '',
  'ada',
  '@example.com',
  'ada@',
  'ada@localhost',
  'a@b@example.com',
  'a b@example.com',
  '.a@example.com',
  'a.@example.com',
  'a..b@example.com',
  'a@.example.com',
  'a@example..com',
  'a@example.com.',
  'a@-x.example',
  'a@x-.example',
  'a@[127.0.0.1]',
  'a@[IPv6:::1]',
  'a@127.0.0.1',
  'a(c)@example.com',
  'a@example.com(c)',
  'Ada <a@example.com>',
  '<a@example.com>',
  'a@exa_mple.com',
  'a,b@example.com',
  '"a@example.com',
  'a"b"@example.com',
  `${repeatX(65)}@example.com`,
  `a@${repeatX(64)}.example`,
  `${repeatX(64)}@${repeatX(63)}.${repeatX(63)}.${repeatX(59)}.de`,
  'a@example.com,b@example.com',
  ' a@example.com',
  'a@example.com ',
  'mailto:a@example.com?x',
  'a\u00a0@example.com',
  'a@exam ple.com',
  'a@xn--a.example',
];
const CONTROL_ADDRESSES = [
  'a@example.com\r\nBcc: b@example.com',
  'a\n@example.com',
  '"a\r\n"@example.com',
  'a@example.com\u0000',
  'a\u2028@example.com',
];

const VALID_PHONES = ['+12', '+31612345678', '+123456789012345'];
const INVALID_PHONES = [
  '+1',
  '+1234567890123456',
  '31612345678',
  '+0612345678',
  '+31 612345678',
  '+31-6',
  '+3161a',
  '00316123',
  '',
  '+',
];

export const REQUEST_RULES: Rule[] = [
  {
    rule: 'SendEmailRequest: campaign and to are there, and nothing unknown',
    takes: {
      'the smallest': request({}),
      'every property': request({
        profile_data: {},
        message: {},
        attachments: [{ attachment_type: 'file', file_name: 'a', data: '' }],
      }),
    },
    refuses: {
      null: [null, ' wrong_type'],
      'a list': [[], ' wrong_type'],
      'a text': ['x', ' wrong_type'],
      'a number': [1, ' wrong_type'],
      true: [true, ' wrong_type'],
      nothing: [{}, '/campaign missing_property', '/to missing_property'],
      'no campaign': [{ to: TO }, '/campaign missing_property'],
      'no to': [{ campaign: 'order' }, '/to missing_property'],
      'null for to': [to(null), '/to no_form_matches'],
      'null for campaign': [campaign(null), '/campaign no_form_matches'],
      'an unknown property': [request({ subject: 'x' }), '/subject unknown_property'],
      'a name in other case': [request({ Message: {} }), '/Message unknown_property'],
      __proto__: [json(`{"campaign":"order","to":"${TO}","__proto__":{"a":1}}`), '/__proto__ unknown_property'],
      'null for message': [request({ message: null }), '/message wrong_type'],
      'null for attachments': [request({ attachments: null }), '/attachments wrong_type'],
      'null for profile_data': [request({ profile_data: null }), '/profile_data wrong_type'],
    },
  },
  {
    rule: 'CampaignSlug: 3 to 40 of A-Z a-z 0-9 - _, launched in this account',
    takes: each(CAMPAIGNS, campaign),
    refuses: {
      ...each(['ab', '', repeatX(41), 'a.b', 'a b', 'abc\n', 'äbc', 'abc/', ' abc'], (slug): [unknown, string] => [
        campaign(slug),
        '/campaign bad_format',
      ]),
      ...each(['no-such', 'ORDER', 'constructor', '__proto__', 'toString'], (slug): [unknown, string] => [
        campaign(slug),
        '/campaign campaign_unknown',
      ]),
      ...each([1, true, [], ['order']], (value): [unknown, string] => [campaign(value), '/campaign no_form_matches']),
    },
  },
  {
    rule: 'CampaignReference: exactly one of id and slug',
    takes: {
      'by slug': campaign({ slug: 'order' }),
      'by id': campaign({ id: CAMPAIGN_ID }),
      'a slug that looks like an id': campaign({ slug: 'A1b2C3d4E5f6G7h8I9' }),
    },
    refuses: {
      both: [campaign({ id: UNKNOWN_ID, slug: 'order' }), '/campaign no_form_matches'],
      neither: [campaign({}), '/campaign/slug missing_property'],
      'an id of 17': [campaign({ id: UNKNOWN_ID.slice(1) }), '/campaign/id bad_format'],
      'an id of 19': [campaign({ id: `${UNKNOWN_ID}x` }), '/campaign/id bad_format'],
      'an id with -': [campaign({ id: `-${UNKNOWN_ID.slice(1)}` }), '/campaign/id bad_format'],
      'an id that nobody has': [campaign({ id: UNKNOWN_ID }), '/campaign campaign_unknown'],
      'a slug as id': [campaign({ id: 'order' }), '/campaign/id bad_format'],
      'the slug of an id': [campaign({ id: 'A1b2C3d4E5f6G7h8I9' }), '/campaign campaign_unknown'],
      'a slug of 2': [campaign({ slug: 'ab' }), '/campaign/slug bad_format'],
      'a number as id': [campaign({ id: 1 }), '/campaign/id wrong_type'],
      'null as slug': [campaign({ slug: null }), '/campaign/slug wrong_type'],
      'something more': [campaign({ slug: 'order', version: 1 }), '/campaign/version unknown_property'],
    },
  },
  {
    rule: 'EmailString: an RFC 5321 mailbox',
    takes: each(VALID_ADDRESSES, to),
    refuses: {
      ...each(INVALID_ADDRESSES, (address): [unknown, string] => [to(address), '/to invalid_email']),
      ...each(CONTROL_ADDRESSES, (address): [unknown, string] => [to(address), '/to control_character']),
      'half a character': [to('a\ud800@example.com'), '/to invalid_unicode'],
    },
  },
  {
    rule: 'EmailAddress: an email, perhaps a name of 1,000 characters at most',
    takes: {
      'without name': to({ email: TO }),
      'an empty name': to({ email: TO, name: '' }),
      'a name of 1,000': to({ email: TO, name: repeatX(1000) }),
      'a name of 1,000 emoji': to({ email: TO, name: '😀'.repeat(1000) }),
      'a name with comma and quotes': to({ email: TO, name: 'Lovelace, "Ada" <x@y.z>' }),
    },
    refuses: {
      'no email': [to({ name: 'Ada', nmae: 'x' }), '/to/nmae unknown_property', '/to/email missing_property'],
      'null for email': [to({ email: null }), '/to/email wrong_type'],
      'a number for email': [to({ email: 1 }), '/to/email wrong_type'],
      'no address': [to({ email: 'ada' }), '/to/email invalid_email'],
      'a name of 1,001': [to({ email: TO, name: repeatX(1001) }), '/to/name too_long'],
      'null for name': [to({ email: TO, name: null }), '/to/name wrong_type'],
      'a name with CR LF': [to({ email: TO, name: 'A\r\nBcc: b@example.com' }), '/to/name control_character'],
      'a name with NUL': [to({ email: TO, name: '\u0000' }), '/to/name control_character'],
      'a name with U+2029': [to({ email: TO, name: 'a\u2029' }), '/to/name control_character'],
      'half a character': [to({ email: TO, name: '\udc00' }), '/to/name invalid_unicode'],
      'something more': [to({ email: TO, phone: '1' }), '/to/phone unknown_property'],
    },
  },
  {
    rule: 'ContactKey: exactly one property; email, sms, id or a custom name of 2 to 45',
    takes: {
      ...each(VALID_PHONES, (sms) => to({ sms })),
      'an id of any form': to({ id: 'x' }),
      'an id of 255': to({ id: repeatX(255) }),
      'a name of 2': to({ ab: 'C' }),
      'a name of 45': to({ [`a${repeatX(44)}`]: 'C' }),
      'a name of every kind': to({ 'aZ0_-': 'C' }),
      name: to({ name: 'C' }),
      constructor: to({ constructor: 'C' }),
      'a value of 255': to({ crm: repeatX(255) }),
      'a value with every printable': to({ crm: "' OR 1=1 -- {$ne} \\ ü" }),
      contact_key: to({ contact_key: { contact_key: 'C' } }),
      external_message_id: to({ external_message_id: 'C 1' }),
    },
    refuses: {
      ...each(INVALID_PHONES, (sms): [unknown, string] => [to({ sms }), '/to/sms invalid_phone']),
      none: [to({}), '/to too_few'],
      two: [to({ id: 'a', crm: 'b' }), '/to too_many'],
      'email and sms': [to({ email: TO, sms: '+123' }), '/to too_many'],
      'a name of 1': [to({ a: 'C' }), '/to/a unknown_property'],
      'a name of 46': [to({ [`a${repeatX(45)}`]: 'C' }), `/to/a${repeatX(45)} unknown_property`],
      'a digit first': [to({ '1a': 'C' }), '/to/1a unknown_property'],
      'a dot in it': [to({ 'a.b': 'C' }), '/to/a.b unknown_property'],
      '$ first': [to({ $ne: 'C' }), '/to/$ne unknown_property'],
      __proto__: [to(json('{"__proto__":"C"}')), '/to/__proto__ unknown_property'],
      'an empty name': [to({ '': 'C' }), '/to/ unknown_property'],
      'a number': [to({ crm: 1 }), '/to/crm wrong_type'],
      'an object': [to({ crm: { $ne: null } }), '/to/crm wrong_type'],
      null: [to({ crm: null }), '/to/crm wrong_type'],
      'an empty value': [to({ crm: '' }), '/to/crm too_short'],
      'a value of 256': [to({ crm: repeatX(256) }), '/to/crm too_long'],
      'an empty id': [to({ id: '' }), '/to/id too_short'],
      'an id of 256': [to({ id: repeatX(256) }), '/to/id too_long'],
      'a line break': [to({ crm: 'a\nb' }), '/to/crm control_character'],
      'a number as sms': [to({ sms: 31612345678 }), '/to/sms wrong_type'],
    },
  },
];
