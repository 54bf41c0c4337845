import { fault, openHand, Payload, type Tails } from '../testing/kafkajs.payload';
import type { Progress } from './progress';

describe('what a group member commits and hands out again', () => {
  let progress: Progress;
  let tails: Tails;
  const handOf = (...asked: Parameters<typeof openHand>) => {
    const opened = openHand(...asked);
    ({ progress, tails } = opened);
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
