import { Logger } from '@nestjs/common';
import type { EventPublisher } from '@lettermill/log';
import type { AnyEvent } from '@lettermill/events';
import { StoreUnavailable } from '@lettermill/storage';
import type { DeliveryStore, Order, Settlement, StoredEvent } from '../deliveries/deliveries.store';
import type { Delivery } from '../lifecycle/delivery';
import { Outcomes } from './outcomes';

const EVENT: StoredEvent = { id: 'a', json: '{"id":"a"}' };

/** Outcomes over a store that holds `stored`; `onRead` is called before each read of it. */
function outcomesOver(onRead: (looks: number) => void, stored: StoredEvent[] = []) {
  const published: string[] = [];
  let looks = 0;
  const store: Partial<DeliveryStore> = {
    unannounced: () => {
      onRead((looks += 1));
      return Promise.resolve([...stored]);
    },
    forgetAnnounced: (ids) => Promise.resolve(void stored.splice(0, ids.length)),
  };
  const publisher: Partial<EventPublisher> = {
    publish: (events) => Promise.resolve(void published.push(...events.map(({ id }) => id))),
  };
  const outcomes = new Outcomes(store as DeliveryStore, publisher as EventPublisher);
  return { outcomes, published, looks: () => looks };
}

describe('unannounced outcomes', () => {
  beforeEach(() => jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined));
  afterEach(() => jest.restoreAllMocks());

  it.each(Array.from({ length: 20 }, (_, turns) => turns))(
    'are looked up again if requested %i turns after the last lookup began',
    async (turns) => {
      const ask = () => {
        asked.before = asked.looks();
        asked.outcomes.catchUp();
      };
      const later = (left: number) => (left > 0 ? queueMicrotask(() => later(left - 1)) : ask());
      const asked = Object.assign(
        outcomesOver((looks) => looks === 1 && later(turns)),
        { before: 0 },
      );
      asked.outcomes.catchUp();
      await new Promise((resolve) => setImmediate(resolve));
      expect(asked.looks()).toBeGreaterThan(asked.before);
    },
  );

  it('are announced only if they were left from one lookup to the next', async () => {
    const stored = [EVENT];
    const { outcomes, published } = outcomesOver(() => undefined, stored);
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    await outcomes.announceAbandoned();
    await turn();
    stored[0] = { id: 'b', json: '{"id":"b"}' };
    await outcomes.announceAbandoned();
    await turn();
    expect(published).toEqual([]);
    await outcomes.announceAbandoned();
    await turn();
    expect(published).toEqual(['b']);
    await outcomes.announceAbandoned();
    await outcomes.announceAbandoned();
    await turn();
    expect(published).toEqual(['b']);
  });

  it('are not looked up without a pause while that ends with an error', async () => {
    const { outcomes, looks } = outcomesOver(() => {
      throw new Error('a defect');
    }, [EVENT]);
    outcomes.catchUp();
    for (let turns = 0; turns < 5; turns += 1) await new Promise(setImmediate);
    expect(looks()).toBe(1);
    await outcomes.close(0);
  });

  it('are announced eventually, even after errors', async () => {
    jest.useFakeTimers();
    try {
      const { outcomes, published } = outcomesOver(
        (looks) => {
          if (looks < 3) throw new Error('a defect');
        },
        [EVENT],
      );
      outcomes.catchUp();
      await jest.advanceTimersByTimeAsync(30_000);
      expect(published).toEqual(['a']);
    } finally {
      jest.useRealTimers();
    }
  });
});

it('a new outcome is announced after those found by an ongoing catch-up', async () => {
  const stored = [EVENT];
  const { outcomes, published } = outcomesOver(() => undefined, stored);
  const parts = outcomes as unknown as { store: Partial<DeliveryStore>; publisher: Partial<EventPublisher> };
  let go!: () => void;
  const gate = new Promise<void>((resolve) => (go = resolve));
  const { publish } = parts.publisher;
  let asked = 0;
  parts.publisher.publish = async (events) => {
    if ((asked += 1) === 1) await gate;
    return publish!(events);
  };
  parts.store.record = (settlements) => {
    stored.push(...settlements.map(({ event }) => event!));
    return Promise.resolve(settlements.map(() => true));
  };
  outcomes.catchUp();
  expect(await outcomes.settle({} as Settlement, { id: 'b' } as AnyEvent)).toBe(true);
  await new Promise(setImmediate);
  expect(published).toEqual([]);
  go();
  while (stored.length > 0) await new Promise(setImmediate);
  expect(published).toEqual(['a', 'b']);
});

it('an order that was carried out is announced even if the response was lost', async () => {
  const stored: StoredEvent[] = [];
  const { outcomes, published } = outcomesOver(() => undefined, stored);
  const order = (orders: Order[]) => {
    stored.push(...orders.map(({ event }) => event));
    return Promise.reject(new StoreUnavailable('the answer was lost'));
  };
  Object.assign((outcomes as unknown as { store: object }).store, { order });
  const event = { id: 'order' } as AnyEvent;
  await expect(outcomes.order(null, {} as Delivery, event)).rejects.toThrow('the answer was lost');
  while (stored.length > 0) await new Promise(setImmediate);
  expect(published).toEqual(['order']);
});

it('an order is announced only if it was carried out', async () => {
  const { outcomes, published } = outcomesOver(() => undefined);
  const order = jest.fn().mockResolvedValueOnce([false]).mockResolvedValueOnce([true]);
  Object.assign((outcomes as unknown as { store: object }).store, { order });
  expect(await outcomes.order(null, {} as Delivery, { id: 'late' } as AnyEvent)).toBe(false);
  expect(await outcomes.order(null, {} as Delivery, { id: 'in time' } as AnyEvent)).toBe(true);
  await outcomes.close(10_000);
  expect(published).toEqual(['in time']);
});

describe('a process that ends', () => {
  const outcomesWith = (record: DeliveryStore['record'], stored: StoredEvent[] = []) => {
    const made = outcomesOver(() => undefined, stored);
    Object.assign((made.outcomes as unknown as { store: object }).store, { record });
    return made;
  };

  it('announces and forgets an outcome that is being recorded, and all that were found before', async () => {
    const stored = [EVENT];
    let go!: () => void;
    const gate = new Promise<void>((resolve) => (go = resolve));
    const { outcomes, published } = outcomesWith(async (settlements) => {
      await gate;
      stored.push(...settlements.map(({ event }) => event!));
      return settlements.map(() => true);
    }, stored);
    const settled = outcomes.settle({} as Settlement, { id: 'b' } as AnyEvent);
    outcomes.catchUp();
    const ended = outcomes.close(10_000);
    go();
    await ended;
    expect([await settled, published, stored]).toEqual([true, ['a', 'b'], []]);
  });

  it('no longer waits for a store that is away, and reads nothing more', async () => {
    const { outcomes, looks } = outcomesWith(() => Promise.reject(new StoreUnavailable('away')));
    const settled = outcomes.settle({} as Settlement, { id: 'b' } as AnyEvent).catch(({ message }: Error) => message);
    await outcomes.close(0);
    expect(await settled).toBe('away');
    outcomes.catchUp();
    await new Promise(setImmediate);
    expect(looks()).toBe(0);
  });
});
