import type { InnerMessage } from 'kafkajs/src/cluster/index.js';
import { fetchedOf } from './kafka.records';

/** A record of a batch with the positions `first` to `last`. */
function storedMessage(offset: number, first: number, last: number, isControlRecord = false): InnerMessage {
  const batchContext = { firstOffset: String(first), lastOffsetDelta: last - first };
  const content = { key: Buffer.from('k'), value: Buffer.from(`v${offset}`), headers: {}, attributes: 0 };
  return { ...content, offset: String(offset), timestamp: '1000', isControlRecord, batchContext };
}

const fetched = (from: number, messages: InnerMessage[]) => {
  const { records, next } = fetchedOf('t', 2, from, messages);
  return { positions: records.map(({ position }) => position), next };
};

describe('the result of a fetch', () => {
  it('has the records from the position on, and the position after the last batch', () => {
    expect(
      fetched(4, [storedMessage(3, 3, 5), storedMessage(4, 3, 5), storedMessage(5, 3, 5), storedMessage(6, 6, 6)]),
    ).toEqual({
      positions: [4, 5, 6],
      next: 7,
    });
    expect(fetchedOf('t', 2, 4, [storedMessage(4, 3, 5)]).records[0]).toMatchObject({
      topic: 't',
      partition: 2,
      key: 'k',
    });
  });

  it('is empty, with the same position, when nothing arrived in time', () => {
    expect(fetched(4, [])).toEqual({ positions: [], next: 4 });
  });

  it('moves past records that compaction removed from the end of a batch', () => {
    expect(fetched(3, [storedMessage(3, 3, 9)])).toEqual({ positions: [3], next: 10 });
    expect(fetched(4, [storedMessage(3, 3, 9)])).toEqual({ positions: [], next: 10 });
  });

  it('moves past the markers of a transaction', () => {
    expect(fetched(7, [storedMessage(6, 6, 6), storedMessage(7, 7, 7, true)])).toEqual({ positions: [], next: 8 });
  });

  it('moves past each record of a broker that reports no batches', () => {
    const { batchContext: _none, ...alone } = storedMessage(5, 5, 5);
    expect(fetched(4, [alone as InnerMessage])).toEqual({ positions: [5], next: 6 });
  });

  it('never moves back', () => {
    expect(fetched(9, [storedMessage(3, 3, 5)])).toEqual({ positions: [], next: 9 });
  });
});
