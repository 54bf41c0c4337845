import { Logger } from '@nestjs/common';
import type { AnyEvent } from '@lettermill/events';
import { StoreUnavailable } from '@lettermill/storage';
import type { StoredDelivery } from '../deliveries/deliveries.store';
import type { Delivery } from '../lifecycle/delivery';
import { messageId, queued, until } from '../testing/dispatch.service';
import { dispatchFile, typesOf } from '../testing/dispatched';
import { answeringServer } from '../testing/test.servers';
import { Expiry, EXPIRY_INTERVAL_MS } from './expiry';
import type { AnnouncedOrder, Outcomes } from './outcomes';

const NOW = 1_800_000_000_000;

describe('a delivery whose time is over', () => {
  it('ends although nothing is sent', async () => {
    const server = await answeringServer();
    const on = dispatchFile();
    const intervals = jest.spyOn(globalThis, 'setInterval');
    const service = await on.start(server.port, { sending: { hopRate: 0 } });
    const [look] = intervals.mock.calls.find(([, ms]) => ms === EXPIRY_INTERVAL_MS)!;
    intervals.mockRestore();
    const over = { expires_at: new Date(Date.now() - 1).toISOString(), priority: 'bulk' as const };
    await service.take(queued(1, 'ada'), queued(2, 'bob', over));
    look();
    await until('it has ended', () => on.publishedEvents().length > 0);
    expect(on.publishedEvents()).toMatchObject([
      { type: 'MessageFailed', data: { message_id: messageId(2), reason: { code: 'expired' } } },
    ]);
    expect(typesOf(on, 1)).toEqual([]);
    const found = await service.store.find([1, 2].map((n) => ({ accountId: 'default', messageId: messageId(n) })));
    expect(found.map(({ state, content }) => [state, content === null]).sort()).toEqual([
      ['failed', true],
      ['queued', false],
    ]);
  });

  const stored = (over: Partial<StoredDelivery> = {}): StoredDelivery => ({
    accountId: 'default',
    messageId: messageId(1),
    state: 'queued',
    attempts: 0,
    dueAt: NOW,
    priority: 1,
    recipients: [],
    content: JSON.stringify(queued(1, 'ada', { expires_at: new Date(NOW).toISOString() })),
    ...over,
  });

  /** What becomes of the delivery. Somebody else changes it until `orderAll` was called `misses` times. */
  async function endOf(one: StoredDelivery, misses = 0): Promise<{ orders: [Delivery, AnyEvent][]; looks: number }> {
    const orders: [Delivery, AnyEvent][] = [];
    let isEnded = false;
    let looks = 0;
    const expired = () => {
      looks += 1;
      return Promise.resolve(isEnded ? [] : [{ ...one, expiresAt: NOW }]);
    };
    const orderAll = (all: AnnouncedOrder[]) => {
      orders.push(...all.map(({ next, event }): [Delivery, AnyEvent] => [next, event]));
      isEnded = orders.length > misses;
      return Promise.resolve(all.map(() => isEnded));
    };
    const store = { expired, find: () => Promise.resolve([one]) };
    const expiry = new Expiry(store, { orderAll } as unknown as Outcomes, () => NOW);
    await Promise.all([expiry.endExpired(), expiry.endExpired()]);
    return { orders, looks };
  }

  it.each([
    ['was never tried', {}, 'failed', 'MessageFailed', 1],
    ['is deferred', { state: 'deferred', attempts: 2 }, 'failed', 'MessageFailed', 3],
    ['has lost its content', { content: null }, 'failed', 'MessageFailed', 1],
    [
      'waits for its copies alone',
      { state: 'deferred', attempts: 1, rest: { to: ['bob@example.com'], after: 'sent' } },
      'sent',
      'MessageCopiesTried',
      2,
    ],
  ] as const)('ends if it %s', async (_what, over, state, type, attempt) => {
    const { orders } = await endOf(stored(over as Partial<StoredDelivery>));
    expect(orders).toHaveLength(1);
    const [[next, event]] = orders as [[Delivery, AnyEvent]];
    expect(next).toMatchObject({ state, dueAt: null });
    expect(event).toMatchObject({ type, data: { reason: { code: 'expired' } } });
    expect(event.id).toContain(`attempt-${attempt}`);
  });

  it('is left to the next call if somebody changes it meanwhile', async () => {
    const { orders, looks } = await endOf(stored(), 5);
    expect([orders.length, looks]).toEqual([1, 1]);
  });

  it('ends with the next call if the store is away for this one', async () => {
    const expired = jest.fn().mockRejectedValueOnce(new StoreUnavailable('away')).mockResolvedValue([]);
    const store = { expired, find: () => Promise.resolve([]) };
    const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const expiry = new Expiry(store, {} as Outcomes, () => NOW);
    await expiry.endExpired();
    expect(warned).toHaveBeenCalledTimes(1);
    await expiry.endExpired();
    expect(expired).toHaveBeenCalledTimes(2);
    warned.mockRestore();
  });

  it('is left alone once the process ends, which waits for those in hand', async () => {
    const one = stored();
    let carryOut: (done: boolean[]) => void = () => {};
    const orderAll = jest.fn(() => new Promise<boolean[]>((resolve) => (carryOut = resolve)));
    const store = { expired: () => Promise.resolve([{ ...one, expiresAt: NOW }]), find: () => Promise.resolve([one]) };
    const expiry = new Expiry(store, { orderAll } as unknown as Outcomes, () => NOW);
    void expiry.endExpired();
    await until('it is being ended', () => orderAll.mock.calls.length > 0);
    let hasEnded = false;
    const leaving = expiry.beforeApplicationShutdown().then(() => (hasEnded = true));
    await new Promise(setImmediate);
    expect(hasEnded).toBe(false);
    carryOut([true]);
    await leaving;
    await expiry.endExpired();
    expect(orderAll).toHaveBeenCalledTimes(1);
  });
});
