import * as fc from 'fast-check';
import { readJson } from './json';
import { countValues } from './json.survey';
import { firstJsonFault } from './json.locate';

/** The limits of docs/send.md 1. */
const MAX_JSON_DEPTH = 64;
const MAX_JSON_VALUES = 500_000;

const read = (text: string) => readJson(Buffer.from(text));
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('a body is refused', () => {
  it('when it is empty', () => {
    expect(readJson(Buffer.alloc(0))).toMatchObject({ code: 'body_missing' });
  });

  it.each([
    [[0xff], 0],
    [[0x22, 0xc3, 0x28, 0x22], 1],
    [[0x22, 0xef, 0xbf, 0xbd, 0xed, 0xa0, 0x80, 0x22], 4],
    [[0x22, 0xc0, 0xaf, 0x22], 1],
    [[0x22, 0xe2, 0x82], 1],
  ])('when it is not UTF-8: %j', (bytes, offset) => {
    expect(readJson(Buffer.from(bytes))).toEqual({
      code: 'body_not_utf8',
      detail: `The byte at offset ${offset} is not UTF-8.`,
    });
  });

  it.each([
    [' ', 'line 1, column 2: expected a value, the body ends'],
    ['\ufeff', 'line 1, column 1: expected a value, the body ends'],
    ['{', 'line 1, column 2: expected a key in quotes, the body ends'],
    ['{"a":1,}', 'line 1, column 8: expected a key in quotes, found «}»'],
    ["{'a':1}", "line 1, column 2: expected a key in quotes, found «'a':1}»"],
    ['{"a" 1}', 'line 1, column 6: expected a colon, found «1}»'],
    ['{"a":\n  nope}', 'line 2, column 3: expected a value, found «nope}»'],
    ['[1 2]', 'line 1, column 4: expected a comma or ], found «2]»'],
    ['[1,]', 'line 1, column 4: expected a value, found «]»'],
    ['[01]', 'line 1, column 3: expected a comma or ], found «1]»'],
    ['[1.]', 'line 1, column 3: expected a comma or ], found «.]»'],
    ['[NaN]', 'line 1, column 2: expected a value, found «NaN]»'],
    ['{} {}', 'line 1, column 4: nothing more may follow the value, found «{}»'],
    [']', 'line 1, column 1: expected a value, found «]»'],
    ['"abc', 'line 1, column 1: the string is not closed, found «"abc»'],
    ['"a\\x"', 'line 1, column 3: unknown escape, found «\\x"»'],
    ['"a\nb"', 'line 1, column 3: control characters in a string must be escaped, found «\\u000ab"»'],
    ['["😀", x]', 'line 1, column 7: expected a value, found «x]»'],
    ['// no\n{}', 'line 1, column 1: expected a value, found «// no\\u000a{}»'],
  ])('when it is not JSON: %j', (text, detail) => {
    expect(read(text)).toEqual({ code: 'body_not_json', detail });
  });

  it.each([
    ['{"a":1,"a":1}', 'line 1, column 8: the key «a» occurs twice («/a»)'],
    ['{"to":[{"x":{}},\n{"b":{"c":1,"d":2,"c":3}}]}', 'line 2, column 19: the key «c» occurs twice («/to/1/b/c»)'],
    ['{"a":1,"\\u0061":2}', 'the key «a» occurs twice («/a»)'],
    ['{"__proto__":1,"__proto__":2}', 'the key «__proto__» occurs twice'],
    ['{"a/b~":1,"a/b~":2}', '(«/a~1b~0»)'],
    ['[{"":1,"":2}]', '(«/0/»)'],
  ])('when a key occurs twice: %s', (text, detail) => {
    expect(read(text)).toEqual({ code: 'body_not_json', detail: expect.stringContaining(detail) });
  });

  it('when it is nested too deep, however deep', () => {
    const detail = `line 1, column ${MAX_JSON_DEPTH + 1}: nested deeper than ${MAX_JSON_DEPTH} levels`;
    expect(read(nested(MAX_JSON_DEPTH + 1))).toEqual({ code: 'body_not_json', detail });
    expect(read('['.repeat(1_000_000))).toEqual({ code: 'body_not_json', detail });
    expect(read('{"a":'.repeat(100_000))).toMatchObject({ code: 'body_not_json' });
  });

  it('when it has too many values of any kind', () => {
    const many = (value: string) => `[${`${value},`.repeat(MAX_JSON_VALUES)}0]`;
    for (const value of ['1', '[]', '{}', '{"a":1}', '[[[[]]]]', '""', ']']) {
      expect(read(many(value))).toMatchObject({ code: 'body_too_complex' });
    }
    expect(read(`{${Array.from({ length: MAX_JSON_VALUES + 1 }, (_, i) => `"${i}":0`).join()}}`)).toMatchObject({
      code: 'body_too_complex',
    });
    expect(read(`[${'0,'.repeat(MAX_JSON_VALUES - 2)}0]`)).toHaveProperty('value');
    expect(read(`"${'[],'.repeat(MAX_JSON_VALUES)}"`)).toHaveProperty('value');
  });

  it('without locating the fault when the search would take long', () => {
    const text = `[${'1,'.repeat(300_000)}]`;
    expect(read(text)).toEqual({ code: 'body_not_json', detail: expect.stringContaining('after this place') });
  });
});

describe('a body is read', () => {
  it.each([
    ['{}', {}],
    ['null', null],
    ['\ufeff{"a":1}', { a: 1 }],
    ['{"a":"{[\\"a\\":\\\\"}', { a: '{["a":\\' }],
    ['{"a":{"a":1},"b":[{"a":1},{"a":1}]}', { a: { a: 1 }, b: [{ a: 1 }, { a: 1 }] }],
    ['"\ufffd"', '\ufffd'],
    [nested(2), [[]]],
  ])('%s', (text, value) => {
    expect(read(text)).toEqual({ value });
  });

  it('up to the maximum depth', () => {
    expect(read(nested(MAX_JSON_DEPTH))).toHaveProperty('value');
    expect(read(`"${'['.repeat(1000)}"`)).toHaveProperty('value');
  });

  it('with __proto__ as an ordinary key', () => {
    const reading = read('{"__proto__":{"admin":true},"constructor":1}') as { value: object };
    expect(Object.keys(reading.value)).toEqual(['__proto__', 'constructor']);
    expect((reading.value as { admin?: boolean }).admin).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

/** JSON text with something removed, inserted or replaced. */
const nearJson = fc
  .tuple(
    fc.json({ maxDepth: 4 }),
    fc.nat(),
    fc.nat(3),
    fc.constantFrom('', '"', '{', '}', ',', ':', '\\', '0', ' ', 'a', '\n', ']'),
  )
  .map(([text, at, cut, put]) => {
    const from = at % (text.length + 1);
    return text.slice(0, from) + put + text.slice(from + cut);
  });

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('any text', () => {
  it('has a located fault exactly when it does not parse or repeats a key', () => {
    fc.assert(
      fc.property(nearJson, (text) => {
        const fault = firstJsonFault(text);
        if (!parses(text)) expect(fault).toBeDefined();
        else if (fault) expect(fault.detail).toContain('occurs twice');
        const read = readJson(Buffer.from(text));
        // A number may be valid JSON and still not be exact: see json.number.spec.ts.
        if ('code' in read && read.code === 'number_not_exact') return expect(fault).toBeUndefined();
        expect('value' in read).toBe(fault === undefined && text !== '');
      }),
      { numRuns: 20_000 },
    );
  });

  it('is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value);
        expect(read(text)).toEqual({ value: JSON.parse(Buffer.from(text).toString()) });
      }),
      { numRuns: 5000 },
    );
  });

  it('is handled without an exception, whatever its bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(readJson(Buffer.from(bytes))).toBeDefined();
      }),
      { numRuns: 5000 },
    );
  });
});

describe('countValues', () => {
  const count = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? 1 + Object.values(value).reduce<number>((sum, member) => sum + count(member), 0)
      : 1;
  const empties = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? Object.values(value).reduce<number>((sum, one) => sum + empties(one), Object.keys(value).length === 0 ? 1 : 0)
      : 0;

  it('counts one less than there are, plus one for each empty list or object, whatever strings contain', () => {
    const property = fc.property(fc.jsonValue(), (value) => {
      expect(countValues(Buffer.from(JSON.stringify(value)))).toBe(count(value) - 1 + empties(value));
    });
    fc.assert(property);
  });
});
