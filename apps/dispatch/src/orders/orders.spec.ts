import { rawServer } from '../testing/test.servers';
import { messageId, queued, until } from '../testing/dispatch.service';
import { dispatchFile } from '../testing/dispatched';
import type { DeliveryRecords, StoredDelivery } from '../deliveries/deliveries.store';
import type { Outcomes } from '../sending/outcomes';
import { Sender } from '../sending/sender';
import { Orders } from './orders';

const KEY = { accountId: 'default', messageId: messageId(1) };

afterEach(() => jest.restoreAllMocks());

it('a retry wakes the sender, which does not look at the queue by itself here', async () => {
  for (const alarm of ['sleepFor', 'runUpkeep'] as const)
    jest.spyOn(Sender.prototype as unknown as Record<typeof alarm, () => void>, alarm).mockImplementation();
  let mail: string | undefined = '450 4.2.0 later';
  const server = await rawServer({ mail: () => mail });
  const on = dispatchFile();
  const service = await on.start(server.port, { retryDelays: [3_600] });
  await service.take(queued(1, 'ada'));
  await until('it is put off', () => on.publishedEvents('MessageDeferred').length === 1);
  mail = undefined;
  await service.app.get(Orders).retry(KEY, []);
  await until('it is sent', () => on.publishedEvents('MessageSent').length === 1);
});

describe('an order', () => {
  /** `changed`: how often the delivery is no longer as it was found. */
  function ordersOn(stored: StoredDelivery[], changed = 0) {
    let rounds = 0;
    const order = jest.fn(() => Promise.resolve((rounds += 1) > changed));
    const store = { find: () => Promise.resolve(stored) } as unknown as DeliveryRecords;
    return { order, orders: new Orders(store, { order } as unknown as Outcomes, {} as Sender, () => 1) };
  }

  it('about a delivery that changes at the same time is decided again, and ends if that goes on', async () => {
    const waiting = { ...KEY, state: 'queued', attempts: 0, dueAt: 1 } as StoredDelivery;
    const once = ordersOn([waiting], 1);
    expect(await once.orders.cancel(KEY, false)).toEqual({ ...waiting, state: 'cancelled', dueAt: null });
    expect(once.order).toHaveBeenCalledTimes(2);
    await expect(ordersOn([waiting], Infinity).orders.cancel(KEY, false)).rejects.toMatchObject({
      code: 'unavailable',
    });
  });

  it('about a message that is not here is refused, unless it is a cancellation that is ahead of it', async () => {
    const { order, orders } = ordersOn([]);
    for (const asked of [orders.find(KEY), orders.retry(KEY, []), orders.cancel(KEY, false)])
      await expect(asked).rejects.toMatchObject({ code: 'not_found' });
    expect(order).not.toHaveBeenCalled();
    const cancelled = { ...KEY, state: 'cancelled', attempts: 0, dueAt: null };
    expect(await orders.cancel(KEY, true)).toEqual(cancelled);
    expect(order).toHaveBeenCalledWith(null, cancelled, expect.objectContaining({ type: 'MessageCancelled' }));
  });
});

describe('whether the state of a message allows a retry', () => {
  const orders = new Orders({} as DeliveryRecords, {} as Outcomes, {} as Sender, () => 1);
  const content = JSON.stringify(queued(1, 'ada'));
  const refusalIn = (state: string, over: object = {}) =>
    orders.retryRefusal({ ...KEY, state, attempts: 1, dueAt: null, content, ...over } as StoredDelivery);

  it('is said without a change of it, whoever is suppressed', () => {
    for (const state of ['queued', 'deferred', 'uncertain', 'bounced', 'failed']) expect(refusalIn(state)).toBeNull();
    for (const state of ['sending', 'sent', 'cancelled']) {
      const detail = expect.stringContaining(`state is ${state}`) as string;
      expect(refusalIn(state)).toEqual({ code: 'message_not_retryable', detail });
    }
    expect(refusalIn('bounced', { content: null })).toMatchObject({ code: 'message_content_gone' });
  });
});
