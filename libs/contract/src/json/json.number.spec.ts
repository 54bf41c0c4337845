import * as fc from 'fast-check';
import { readJson } from './json';
import { isExact } from './json.number';

const read = (text: string) => readJson(Buffer.from(text));

describe('a number in a body', () => {
  it.each([
    '9007199254740993',
    '-9007199254740993',
    '12345678901234567890',
    '1e400',
    '-1e400',
    '1e-400',
    '1E+309',
    '9007199254740993.0',
    '900719925474099300e-2',
    '9007199254740.993e3',
    '1e99999999999999999999',
    '-1e-9999999999',
  ])('%s is refused with its place', (number) => {
    expect(isExact(number)).toBe(false);
    expect(read(`{"a":\n [${number}, 1e999]}`)).toEqual({
      code: 'number_not_exact',
      detail: expect.stringMatching(/^line 2, column 3: «/),
    });
  });

  it.each([
    '0',
    '-0',
    '0.0',
    '-0.000',
    '0e5',
    '0e-400',
    '1',
    '-1',
    '0.1',
    '1e3',
    '1E+3',
    '1.50',
    '1e-7',
    '100000000000000000000000',
    '9007199254740992',
    '9007199254740991',
    '1.7976931348623157e308',
    '5e-324',
    '19.989999999999998',
    '1000000000000000.00',
  ])('%s is kept', (number) => {
    expect(isExact(number)).toBe(true);
    expect(read(`{"a":[${number}]}`)).toEqual({ value: { a: [Number(number)] } });
  });

  it('is left alone inside a string', () => {
    const body = { '1e400': '12345678901234567890', a: '\\"9007199254740993' };
    expect(read(JSON.stringify(body))).toEqual({ value: body });
  });

  it('is kept whenever it was written from a float', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const text = JSON.stringify(number);
        expect(isExact(text)).toBe(true);
        expect(read(text)).toEqual({ value: JSON.parse(text) as unknown });
      }),
      { numRuns: 5000 },
    );
  });

  it('that is malformed is refused as invalid JSON', () => {
    for (const text of ['1e', '-', '1.', '01', '1-2', '--1', '1.2.3', '1e5e5', '123456789012345678.', '+1']) {
      expect(read(`[${text}]`)).toMatchObject({ code: 'body_not_json' });
    }
  });

  it('of a million digits is checked in linear time', () => {
    expect(read(`[${'1'.repeat(1_000_000)}]`)).toMatchObject({ code: 'number_not_exact' });
    expect(read(`[1.${'0'.repeat(1_000_000)}]`)).toEqual({ value: [1] });
  });
});
