import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';
import { mendQueue } from './queue.mend';

describe('the request queue of a kafkajs connection', () => {
  const scheduled: (number | undefined)[] = [];
  const original = RequestQueue.prototype.scheduleCheckPendingRequests;

  beforeEach(() => {
    jest.useFakeTimers({ now: 1_000 });
    scheduled.length = 0;
    const { setTimeout } = globalThis;
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms?: number) => {
      scheduled.push(ms);
      return setTimeout(run, ms);
    }) as typeof globalThis.setTimeout);
    mendQueue(RequestQueue.prototype);
  });
  afterEach(() => {
    RequestQueue.prototype.scheduleCheckPendingRequests = original;
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  const queueWith = (pending: unknown[], throttledUntil = -1) => {
    const queue = new RequestQueue({ maxInFlightRequests: 1, requestTimeout: 1, clientId: 'c', broker: 'b' });
    Object.assign(queue, { pending, throttledUntil });
    const checks = jest.spyOn(queue, 'checkPendingRequests').mockImplementation(() => {});
    return { queue, checks };
  };

  it('sets no timer while nothing waits, and none with a time that is past', () => {
    queueWith([]).queue.scheduleCheckPendingRequests();
    expect(scheduled).toEqual([]);
    queueWith([{}]).queue.scheduleCheckPendingRequests();
    expect(scheduled).toEqual([10]);
  });

  it('looks again when a broker no longer throttles it, once', () => {
    const { queue, checks } = queueWith([{}], 1_250);
    queue.scheduleCheckPendingRequests();
    queue.scheduleCheckPendingRequests();
    expect(scheduled).toEqual([250]);
    jest.advanceTimersByTime(250);
    expect(checks).toHaveBeenCalledTimes(1);
    queue.scheduleCheckPendingRequests();
    expect(scheduled).toHaveLength(2);
  });
});
