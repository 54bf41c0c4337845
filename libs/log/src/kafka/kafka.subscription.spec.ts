import { KafkaSubscription, type Reader } from './kafka.subscription';
import { Progress } from './progress';

/** A reader of a topic with this many records, none of which it has handled. */
const reader = (records: number, close = () => Promise.resolve()): Reader => ({
  pursuit: { progress: new Progress(), extents: () => Promise.resolve([{ partition: 0, low: 0, end: records }]) },
  part: { close },
});

describe('a subscription to several topics', () => {
  it('has caught up when every topic that was asked for has been read, and never with one that it does not read', async () => {
    const readers = new Map([
      ['read', reader(0)],
      ['unread', reader(1)],
    ]);
    const subscription = new KafkaSubscription(readers, () => {});
    expect(await subscription.caughtUp(20)).toBe(false);
    expect(await subscription.caughtUp(20, ['read', 'unread'])).toBe(false);
    expect(await subscription.caughtUp(20, ['read'])).toBe(true);
    expect(await subscription.caughtUp(20, ['read', 'another'])).toBe(false);
  });

  it('is closed once, when all its readers are', async () => {
    let end = () => {};
    const slow = new Promise<void>((resolve) => (end = resolve));
    const afterClose = jest.fn();
    const readers = new Map([
      ['t', reader(0)],
      ['u', reader(0, () => slow)],
    ]);
    const subscription = new KafkaSubscription(readers, afterClose);
    const closing = [subscription.close(), subscription.close()];
    await new Promise(setImmediate);
    expect(afterClose).not.toHaveBeenCalled();
    end();
    await Promise.all(closing);
    expect(afterClose).toHaveBeenCalledTimes(1);
  });
});
