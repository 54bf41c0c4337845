import fc from 'fast-check';
import { countValues } from './json.survey';
import { jsonWeight, MIN_VALUE_TEXT_BYTES, estimateValues } from './json.weight';

describe('the estimated number of JSON values', () => {
  const averageOverPhases = (text: string) => {
    let sum = 0;
    for (let phase = 0; phase < 32; phase += 1) sum += estimateValues(Buffer.from(text), phase);
    return sum / 32;
  };

  it('is exact on average over all phases, where no string has commas or brackets', () => {
    const plain = fc.string({ unit: fc.constantFrom('a', ' ', '\\', '"', '\u00e9', ':', '7') });
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 5 }, plain, fc.integer(), fc.array(tie('value')), fc.dictionary(plain, tie('value'))),
    }));
    fc.assert(
      fc.property(value, (one) => {
        const text = JSON.stringify(one);
        expect(averageOverPhases(text)).toBe(countValues(Buffer.from(text)));
      }),
    );
  });

  it('is too high rather than too low where strings have them', () => {
    expect(averageOverPhases('["a,b","{}"]')).toBe(4);
  });

  it('makes dense JSON weigh far more than its text', () => {
    expect(jsonWeight(Buffer.from(`[${'{},'.repeat(10_000)}{}]`))).toBeGreaterThan(1_500_000);
    expect(jsonWeight(Buffer.from(JSON.stringify('x'.repeat(30_000))))).toBe(30_002);
  });

  it('is never more than a text has room for', () => {
    for (const dense of ['[1' + ',1'.repeat(5_000) + ']', '[' + '[],'.repeat(5_000) + '1]']) {
      for (let phase = 0; phase < 64; phase += 1) {
        expect(estimateValues(Buffer.from(dense), phase)).toBeLessThanOrEqual(dense.length + 32);
      }
    }
    expect(countValues(Buffer.from('[1,1,1]'))).toBeLessThanOrEqual(7 / MIN_VALUE_TEXT_BYTES + 1);
  });
});
