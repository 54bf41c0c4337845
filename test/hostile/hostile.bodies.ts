import * as fc from 'fast-check';

/** Bodies, as bytes, that nearly keep the contract: those that parser and validation are most likely to get wrong. */

export interface HostileBody {
  body: Buffer;
  headers: Record<string, string>;
}

/** A `file_ref`, and the name of parts of forms. */
const FILE_REF = '6f1c1f0e-8a3e-4c1f-9a52-0d6f2f1b7c11';
const VALID_REQUEST = {
  campaign: 'order',
  to: [
    { contact_key: { email: 'ada@hostile.example' }, external_message_id: 'x', profile_data: { a: [1, 'é', null] } },
    { email: 'b@hostile.example', name: 'B' },
    { sms: '+31612345678' },
  ],
  profile_data: { first_name: 'Ada', nested: { a: { b: [1.5, true] } } },
  message: { subject: 'S {{ a }}', text: 'T', html: '<p>H</p>', headers: { 'X-A': 'a' }, cc: ['c@hostile.example'] },
  attachments: [{ attachment_type: 'file', file_name: 'a.txt', data: 'QQ==', cid: 'a', metadata: { 'x-a': 1 } }],
};
const VALID_JSON = JSON.stringify(VALID_REQUEST);

const JSON_FRAGMENTS = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\\u0000',
  '\\ud800',
  '\\u',
  'null',
  'true',
  '-',
  '1e999',
  '-0',
  '.',
  '"__proto__":',
  '"constructor":{"prototype":{}},',
  '{"__proto__":{"toString":null}}',
  '12345678901234567890',
  '[[[[[[[[',
  '{"a":{"a":{"a":',
  '\u0000',
  '\r\n',
  '\ufeff',
  '😀',
  '{{',
  '{% if %}',
  '{% for i in (1..9999999) %}',
  '<mjml>',
  '"to":',
  '"campaign":"order"',
  '"external_message_id":',
  '"file_ref":"x"',
  '"data":"QQ=="',
];

const splice = fc.record({
  at: fc.nat({ max: VALID_JSON.length }),
  cut: fc.oneof(fc.constant(0), fc.nat({ max: 4 }), fc.nat({ max: 80 })),
  put: fc.oneof(fc.constantFrom(...JSON_FRAGMENTS), fc.string({ maxLength: 8 }), fc.constant('')),
});

function spliced(text: string, changes: { at: number; cut: number; put: string }[]): string {
  let changed = text;
  for (const { at, cut, put } of changes) changed = changed.slice(0, at) + put + changed.slice(at + cut);
  return changed;
}

const flips = fc.array(fc.record({ at: fc.nat(), byte: fc.nat({ max: 255 }) }), { maxLength: 3 });

function flipped(body: Buffer, changes: { at: number; byte: number }[]): Buffer {
  const bytes = Buffer.from(body);
  for (const { at, byte } of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte;
  return bytes;
}

/** JSON with pieces removed and inserted, and bytes changed. */
const brokenJson = fc
  .tuple(fc.array(splice, { minLength: 1, maxLength: 4 }), flips)
  .map(([changes, bytes]): HostileBody => ({
    body: flipped(Buffer.from(spliced(VALID_JSON, changes)), bytes),
    headers: {},
  }));

const replacements = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom<unknown>('', {}, [], -1, 'x'.repeat(300)));

/** Valid JSON with one of its values replaced by any other. */
const wrongValue = fc.tuple(fc.nat(), replacements).map(([where, value]): HostileBody => {
  const copy = structuredClone(VALID_REQUEST) as object;
  const places: [object, string][] = [];
  const visit = (inner: object) => {
    for (const [key, member] of Object.entries(inner)) {
      places.push([inner, key]);
      if (typeof member === 'object' && member !== null) visit(member as object);
    }
  };
  visit(copy);
  const [holder, key] = places[where % places.length]!;
  (holder as Record<string, unknown>)[key] = value;
  return { body: Buffer.from(JSON.stringify(copy)), headers: {} };
});

const PART_NAMES = [
  'json',
  FILE_REF,
  'file',
  '',
  '__proto__',
  'constructor',
  'x'.repeat(300),
  'a"b',
  'ü',
  'json\\"',
  '\u0000',
];
const FILE_NAMES = [
  'a.txt',
  '',
  '../../etc/passwd',
  'C:\\a',
  'x'.repeat(300),
  'ü.txt',
  'a"; x="',
  '\u0001',
  "UTF-8''%ff",
];
const part = fc
  .record({
    name: fc.constantFrom(...PART_NAMES),
    fileName: fc.option(fc.constantFrom(...FILE_NAMES), { nil: undefined }),
    type: fc.option(
      fc.constantFrom('application/json', 'text/plain; charset=x', 'a', 'multipart/mixed; boundary=b', ''),
      {
        nil: undefined,
      },
    ),
    more: fc.constantFrom(
      '',
      '',
      '',
      'Content-Transfer-Encoding: base64\r\n',
      ': x\r\n',
      ` folded\r\n`,
      `X: ${'y'.repeat(200)}\r\n`,
    ),
    content: fc.oneof(
      fc.constant(VALID_JSON),
      fc.constantFrom('{', '', '--b\r\n', '--b--', '\r\n--b'),
      fc.string({ maxLength: 50 }),
    ),
  })
  .map(({ name, fileName, type, more, content }) => {
    const named = fileName === undefined ? '' : `; filename="${fileName}"`;
    const typed = type === undefined ? '' : `Content-Type: ${type}\r\n`;
    return `--b\r\nContent-Disposition: form-data; name="${name}"${named}\r\n${typed}${more}\r\n${content}\r\n`;
  });

/** Forms with odd parts in any order, pieces removed and bytes changed. */
const form = fc
  .tuple(
    fc.array(part, { maxLength: 5 }),
    fc.constantFrom('--b--\r\n', '--b--', '--b-', '', '--c--\r\n', '--b--\r\n--b\r\n'),
    fc.constantFrom('b', 'b', 'b', 'b', 'c', '"b"', '', 'x'.repeat(80)),
    fc.oneof(fc.array(splice, { maxLength: 0 }), fc.array(splice, { maxLength: 2 })),
    fc.oneof(fc.constant<{ at: number; byte: number }[]>([]), flips),
  )
  .map(([parts, end, boundary, changes, bytes]): HostileBody => ({
    body: flipped(Buffer.from(spliced(parts.join('') + end, changes)), bytes),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  }));

const anyBytes = fc
  .uint8Array({ maxLength: 200 })
  .map((bytes): HostileBody => ({ body: Buffer.from(bytes), headers: {} }));

export const hostileBodies: fc.Arbitrary<HostileBody> = fc.oneof(
  { arbitrary: brokenJson, weight: 5 },
  { arbitrary: wrongValue, weight: 4 },
  { arbitrary: form, weight: 4 },
  { arbitrary: anyBytes, weight: 1 },
);
