import fc from 'fast-check';
import type { LogRecord } from '../log.port';
import { takePortion, type Chunk } from './portion';

const chunkOf = (partition: number, sizes: number[]): Chunk => ({
  partition,
  taken: 0,
  records: sizes.map((size, position): LogRecord => {
    return { topic: 't', key: 'k', headers: {}, value: Buffer.alloc(size), partition, position, appendedAt: 0 };
  }),
});

describe('portions', () => {
  const sizes = fc.array(fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 8 }), { maxLength: 5 });
  const limits = fc.record({ maxRecords: fc.integer({ min: 1, max: 7 }), maxBytes: fc.integer({ min: 1, max: 100 }) });

  it('contain every record once, in order, within the limits', () => {
    fc.assert(
      fc.property(sizes, limits, (some, bounds) => {
        const chunks = some.map((sizesOfOne, partition) => chunkOf(partition, sizesOfOne));
        const given: LogRecord[] = [];
        for (;;) {
          const { records, next } = takePortion(chunks, bounds);
          if (records.length === 0) break;
          given.push(...records);
          expect(records.length).toBeLessThanOrEqual(bounds.maxRecords);
          const bytes = records.reduce((sum, { value }) => sum + value.length, 0);
          expect(records.length === 1 || bytes <= bounds.maxBytes).toBe(true);
          expect([...next.keys()]).toEqual([...new Set(records.map(({ partition }) => partition))]);
          for (const [partition, position] of next) {
            expect(records.findLast((record) => record.partition === partition)!.position).toBe(position - 1);
          }
        }
        expect(given).toEqual(chunks.flatMap(({ records }) => records));
      }),
    );
  });
});
