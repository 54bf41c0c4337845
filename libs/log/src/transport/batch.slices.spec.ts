import fc from 'fast-check';
import type { LogRecord } from '../log.port';
import { slicesOf } from './batch.slices';

const recordOf = (text: string, position: number): LogRecord => {
  const value = Buffer.from(text);
  return { topic: 't', key: 'k', value, headers: {}, partition: 0, position, appendedAt: 0 };
};
const dense = (values: number) => `[${'{},'.repeat(values)}{}]`;
const sizes = (slices: LogRecord[][]) => slices.map(({ length }) => length);

describe('slices of a batch', () => {
  it('keep all records, in order, whatever they hold', () => {
    const text = fc.oneof(fc.constant('{}'), fc.integer({ min: 0, max: 60_000 }).map(dense));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 12 }), (texts) => {
        const records = texts.map(recordOf);
        const slices = slicesOf(records);
        expect(slices.flat()).toEqual(records);
        expect(records.length === 0 || slices.every(({ length }) => length > 0)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('are a single one for usual records, and for large ones with few values', () => {
    const usual = JSON.stringify({ id: 'x'.repeat(500), profile: { first_name: 'Ada', tags: [1, 2] } });
    const html = JSON.stringify({ html: `<p style="color: red, blue">${'Dear customer, hello. '.repeat(200)}</p>` });
    expect(sizes(slicesOf(Array.from({ length: 500 }, (_, at) => recordOf(usual, at))))).toEqual([500]);
    expect(sizes(slicesOf(Array.from({ length: 200 }, (_, at) => recordOf(html, at))))).toEqual([200]);
  });

  it('are small for records with many values in few bytes; a record is never split', () => {
    const records = Array.from({ length: 200 }, (_, at) => recordOf(dense(2_400), at));
    const slices = sizes(slicesOf(records));
    expect(Math.max(...slices)).toBeLessThanOrEqual(16);
    expect(Math.min(...slices.slice(0, -1))).toBeGreaterThanOrEqual(10);
    expect(sizes(slicesOf([0, 1, 2].map((at) => recordOf(dense(60_000), at))))).toEqual([1, 1, 1]);
  });
});
