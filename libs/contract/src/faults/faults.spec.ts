import { isSendRequest } from './verdict';
import { sendFaults } from './faults';
import { MAX_FOUND_FAULTS } from './report';

const request = (more: object) => ({ campaign: 'welcome', to: 'ada@example.com', ...more });
const details = (value: unknown) => sendFaults(value).map(({ pointer, detail }) => `${pointer}: ${detail}`);

describe('the list of faults', () => {
  it('has every fault of every recipient, in the order of the request', () => {
    const value = {
      campaign: 'x',
      to: [
        'ada',
        { email: 'bob@example.com', nmae: 'Bob' },
        { contact_key: { sms: '1' }, external_message_id: '', message: { subject: 'a\nb', cc: ['x'] } },
        { contact_key: 'c@example.com', attachments: [{ attachment_type: 'file', data: '!' }] },
      ],
      profil_data: {},
      attachments: [],
    };
    expect(sendFaults(value).map(({ pointer, code }) => [pointer, code])).toEqual([
      ['/campaign', 'bad_format'],
      ['/to/0', 'invalid_email'],
      ['/to/1/nmae', 'unknown_property'],
      ['/to/2/contact_key/sms', 'invalid_phone'],
      ['/to/2/external_message_id', 'too_short'],
      ['/to/2/message/subject', 'control_character'],
      ['/to/2/message/cc/0', 'invalid_email'],
      ['/to/3/attachments/0/data', 'invalid_base64'],
      ['/to/3/attachments/0/file_name', 'missing_property'],
      ['/profil_data', 'unknown_property'],
      ['/attachments', 'too_few'],
    ]);
  });

  it.each([
    [{ profil_data: {} }, '/profil_data: «profil_data» is not known here; did you mean profile_data?'],
    [{ profileData: {} }, '/profileData: «profileData» is not known here; did you mean profile_data?'],
    [
      { reply_to: 1 },
      '/reply_to: «reply_to» is not known here; known are campaign, to, profile_data, message, attachments',
    ],
    [{ message: { repyl_to: '' } }, '/message/repyl_to: «repyl_to» is not known here; did you mean reply_to?'],
    [{ message: { subject: 7 } }, '/message/subject: expected a string; found the number 7'],
    [{ message: { headers: { a: [] } } }, '/message/headers/a: expected a string or null; found an array'],
    [{ to: { sms: '0612' } }, '/to/sms: «0612»: expected + and 2 to 15 digits, as in +31612345678'],
    [
      { to: 5 },
      '/to: expected an address, {"email", "name"?}, a contact key such as {"id"}, or {"contact_key", …}; found the number 5',
    ],
    [
      { to: { message: {} } },
      '/to/contact_key: contact_key is required: Who gets the message: an address, or the key of a contact.',
    ],
    [{ to: { id: 'a', sms: '+123' } }, '/to: found 2 properties («id, sms»); exactly 1'],
    [{ to: ['a@b.co', 'c@d.eu', 'a@b.co'] }, '/to/2: item 2 is the same as item 0'],
    [
      { message: { subject: `${'é'.repeat(90)}\n` } },
      `/message/subject: «${'é'.repeat(80)}…» contains the control character U+000A`,
    ],
    [
      { message: { in_reply_to: '1001@example.com' } },
      '/message/in_reply_to: «1001@example.com» must match ^<[^<>]+>$, as in «<1001@example.com>»',
    ],
    [
      { attachments: [{ file_ref: 'x' }] },
      '/attachments/0/file_ref: «x» must match ^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$, as in «6f1c1f0e-8a3e-4c1f-9a52-0d6f2f1b7c11»',
    ],
    [
      { attachments: [{ attachment_type: 'file', file_name: 'a', data: 'QUJD\r\nQUJD' }] },
      '/attachments/0/data: «\\u000d» at offset 4 is not in the base64 alphabet; remove white space',
    ],
    [
      { attachments: [{ attachment_type: 'file', file_name: 'a', data: 'data:text/plain;base64,QUJD' }] },
      '/attachments/0/data: «:» at offset 4 is not in the base64 alphabet; of a data: URL, give only what follows the comma',
    ],
    [
      { attachments: [{ attachment_type: 'file', file_name: 'a', data: 'Q-_=' }] },
      '/attachments/0/data: «-» at offset 1 is not in the base64 alphabet; use + and / instead of - and _',
    ],
  ])('says what was found and what is allowed: %j', (more, detail) => {
    expect(details(request(more))).toEqual([detail]);
  });

  it('names both faults of a text that is too long and has a control character', () => {
    const codes = sendFaults(request({ message: { subject: `${'x'.repeat(256)}\n` } })).map(({ code }) => code);
    expect(codes).toEqual(['control_character', 'too_long']);
  });

  it('checks only the first 100 of too many recipients', () => {
    const faults = sendFaults(request({ to: Array.from({ length: 100_000 }, (_, i) => `p${i}`) }));
    expect(faults).toHaveLength(101);
    expect(faults[0]).toMatchObject({ pointer: '/to', code: 'too_many' });
  });

  it('omits long keys, and has a maximum length', () => {
    const hostile = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`${i}${'x'.repeat(300)}`, 1]));
    const faults = sendFaults(request({ message: hostile }));
    expect(faults).toHaveLength(MAX_FOUND_FAULTS);
    expect(faults[0]!.pointer).toBe('/message');
    expect(faults[0]!.detail.length).toBeLessThan(250);
  });

  it('has every fault of a profile', () => {
    const value = { a: '\ud800', b: { c: '\udc00', d: 'x'.repeat(70_000) } };
    expect(sendFaults(request({ profile_data: value })).map(({ pointer, code }) => [pointer, code])).toEqual([
      ['/profile_data/a', 'invalid_unicode'],
      ['/profile_data/b/c', 'invalid_unicode'],
      ['/profile_data', 'profile_data_too_large'],
    ]);
  });

  it('has the least size of a profile that breaks another rule: to write half surrogate pairs as JSON takes long', () => {
    const sizes = (text: string) => {
      const faults = sendFaults(request({ profile_data: { [text.slice(0, 1)]: text } }));
      return faults.filter(({ code }) => code === 'profile_data_too_large').map(({ detail }) => detail);
    };
    expect(sizes('\ud800'.repeat(30_000))).toEqual(['found at least 90005 bytes of compact JSON; at most 65536']);
    expect(sizes(`\ud800${'é'.repeat(32_768)}`)).toHaveLength(1);
    expect(sizes('\ud800'.repeat(21_000))).toEqual([]);
  });

  describe('of headers without end', () => {
    const read = { count: 0 };
    const counted = (fields: object) =>
      new Proxy(fields, { get: (...[of, name]) => [Reflect.get(of, name), (read.count += 1)][0] as unknown });
    const many = (name: (at: number) => string) => {
      read.count = 0;
      const fields = Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [name(at), 'v']));
      return request({ message: { headers: counted(fields) } });
    };

    it('is their size, as far as it matters', () => {
      expect(isSendRequest(many((at) => `X-${at}`))).toBe(false);
      expect(read.count).toBeLessThan(20_000);
      expect(sendFaults(many((at) => `X-${at}`))).toMatchObject([
        {
          pointer: '/message/headers',
          code: 'headers_too_large',
          detail: expect.stringContaining('found more than 131072 bytes'),
        },
      ]);
      expect(read.count).toBeLessThan(60_000);
    });

    it('is what is wrong with those that are examined', () => {
      expect(sendFaults(many((at) => (at < 40_000 ? `X-${at}` : `X ${at}`)))).toMatchObject([
        { code: 'headers_too_large' },
      ]);
      expect(sendFaults(many((at) => (at < 100 ? `X ${at}` : `X-${at}`)))).toHaveLength(101);
    });
  });

  it('has the place of each fault in a profile', () => {
    const value = { a: [0, [1, { 'b/c': ['\ud800', 2] }], '\udc00'], d: '\ud800' };
    expect(sendFaults(request({ profile_data: value })).map(({ pointer }) => pointer)).toEqual([
      '/profile_data/a/1/1/b~1c/0',
      '/profile_data/a/2',
      '/profile_data/d',
    ]);
  });

  it.each([
    ['one long list', { a: Array.from({ length: 2_000_000 }, () => 'x') }],
    ['many keys', Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`k${i}`, 1]))],
    ['one long text', { a: 'x'.repeat(8_000_000) }],
  ])('has only one fault for a profile that is too large: %s', (_name, value) => {
    expect(sendFaults(request({ profile_data: value }))).toMatchObject([
      { pointer: '/profile_data', code: 'profile_data_too_large' },
    ]);
  });
});
