import { fault, openHand, Payload, type Tails } from '../testing/kafkajs.payload';
import type { Lines } from '../testing/outcome.app';
import type { Progress } from './progress';

describe('what a group member commits and hands out again', () => {
  let progress: Progress;
  let tails: Tails;
  let lines: Lines;
  const handOf = (...asked: Parameters<typeof openHand>) => {
    const opened = openHand(...asked);
    ({ progress, tails, lines } = opened);
    return opened.hand;
  };

  it('notes the last record beside the position that it commits', async () => {
    const hand = handOf(() => Promise.resolve(), 2);
    const payload = new Payload(0, 3, 5);
    payload.epoch = 4;
    await hand.take(payload.kafkajs);
    const note = { next: 8, position: 7, id: 'id 7', at: 9, epoch: 4 };
    expect(payload.notes.map((text) => JSON.parse(text!) as unknown)).toEqual([note]);
    expect(tails.seen).toEqual(['0:4']);
  });

  it('notes the last record that was accepted, not one behind it that was handed out, too', async () => {
    const payload = new Payload(0, 6);
    const hand = handOf(({ records }) => {
      if (records[0]!.position === 0) return Promise.resolve();
      hand.stop();
      return Promise.reject(new Error('stopping'));
    }, 3);
    await hand.take(payload.kafkajs);
    expect(payload.committed).toEqual(['p-t/0@3']);
    expect(JSON.parse(payload.notes[0]!)).toMatchObject({ next: 3, position: 2, id: 'id 2' });
  });

  it('commits without notes, and says so once, where the brokers take none of their size', async () => {
    const hand = handOf(() => Promise.resolve(), 2);
    const payload = new Payload(0, 4);
    let refusals = 0;
    payload.onCommit = (notes) => {
      if (notes.every((note) => note === undefined)) return Promise.resolve();
      refusals += 1;
      return Promise.reject(fault('OFFSET_METADATA_TOO_LARGE'));
    };
    await hand.take(payload.kafkajs);
    await hand.take(new Payload(1, 1).kafkajs);
    expect([payload.committed, payload.notes, refusals]).toEqual([['p-t/0@4'], [undefined], 1]);
    expect(lines.lines).toMatchObject([{ level: 'warn', text: expect.stringContaining('offset.metadata.max.bytes') }]);
  });

  it('gives up a commit that failed often enough, also if its notes were refused last', async () => {
    const hand = handOf(() => Promise.resolve(), 2);
    const payload = new Payload(0, 2);
    let commits = 0;
    payload.onCommit = () => {
      commits += 1;
      return Promise.reject(fault(commits === 3 ? 'OFFSET_METADATA_TOO_LARGE' : 'REQUEST_TIMED_OUT'));
    };
    await expect(hand.take(payload.kafkajs)).rejects.toThrow('NOT_COORDINATOR_FOR_GROUP');
    expect(commits).toBe(4);
  });

  it('commits past the mark that ends a transaction, which is no record', async () => {
    const hand = handOf(() => Promise.resolve());
    const payload = new Payload(0, 3);
    payload.marks = 1;
    await hand.take(payload.kafkajs);
    // kafkajs knows what to make of the last record.
    expect([payload.committed, payload.resolved, progress.of(0)]).toEqual([['p-t/0@4'], ['2'], 4]);
  });

  it('drops what lies behind a position that proved to be another one, and what is fetched before it is known', async () => {
    const seen: string[] = [];
    const hand = handOf(({ records }) => Promise.resolve(void seen.push(...records.map(({ value }) => `${value}`))));
    tails.onCheck = () => hand.giveUp(0);
    const [replaced, kept, stale] = [new Payload(0, 2), new Payload(1, 1), new Payload(2, 1)];
    stale.stale = true;
    await Promise.all([replaced, kept, stale].map((payload) => hand.take(payload.kafkajs)));
    expect([seen, replaced.resolved, stale.resolved]).toEqual([['1/0'], [], []]);
  });

  it('takes half as many records after a batch that was refused, as it may have been too slow, and more again later', async () => {
    const sizes: number[] = [];
    const hand = handOf(({ records }) => Promise.resolve(void sizes.push(records.length)), 8);
    const refused = () => {
      const payload = new Payload(0, 8);
      payload.onCommit = () => Promise.reject(fault('UNKNOWN_MEMBER_ID'));
      return hand.take(payload.kafkajs).catch(() => {});
    };
    await refused();
    await refused();
    await hand.take(new Payload(0, 2).kafkajs);
    await hand.take(new Payload(0, 4).kafkajs);
    await hand.take(new Payload(0, 8).kafkajs);
    // The second try of four is committed with the rest of its fetch.
    expect(sizes).toEqual([8, 4, 4, 2, 4, 8]);
  });
});
