import type { EventPublisher } from '@lettermill/log';
import { newId, type AnyEvent } from '@lettermill/events';
import { returnPathOf, type Config } from '@lettermill/runtime';
import type { DeliveryRecords, StoredDelivery } from '../deliveries/deliveries.store';
import type { Delivery } from '../deliveries/delivery';
import type { Outcomes } from '../sending/outcomes';
import { dsn } from '../testing/bounce.mails';
import { ARF } from '../testing/other.mails';
import { Inbound } from './inbound';

const NOW = Date.parse('2026-03-06T10:00:00.000Z');
const WRITTEN = '2026-03-05T10:00:00.000Z';
const ID = newId(NOW - 7 * 86_400_000);
const config = { returnPath: 'bounces.example.com', internalSecret: 's'.repeat(32) } as Config;
const about = (raw: string) => raw.replace('0000000000000000AB', ID);
const of = (action: string, ...names: string[]) =>
  about(
    dsn(
      names.flatMap((name) => [
        `Final-Recipient: rfc822; ${name}@example.org`,
        `Action: ${action}`,
        'Status: 5.1.1',
        '',
      ]),
    ),
  );
const delivery = (state: Delivery['state'], over: Partial<StoredDelivery> = {}): StoredDelivery => ({
  ...{ accountId: 'default', messageId: ID, state, attempts: 1, dueAt: null, priority: 1, content: null },
  recipients: ['ada@example.org', 'bob@example.org'],
  ...over,
});

describe('an inbound report about a mail', () => {
  let found: (StoredDelivery | undefined)[];
  let looks: number;
  let published: AnyEvent[][];
  let ordered: { next: Delivery; event: AnyEvent }[];
  let holds: boolean[];
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    [found, looks, published, ordered, holds] = [[], 0, [], [], []];
  });
  afterEach(() => jest.useRealTimers());

  /** `answers` are what the store finds at each look; the last one is repeated. */
  const take = async (raw: string, ...answers: (StoredDelivery | undefined)[]) => {
    found = answers;
    const store = {
      find: () => Promise.resolve([found[Math.min(looks++, found.length - 1)]].filter((one) => one !== undefined)),
    };
    const publisher = { publish: (events: AnyEvent[]) => Promise.resolve(void published.push(events)) };
    const order = (_: Delivery, next: Delivery, event: AnyEvent) => {
      ordered.push({ next, event });
      return Promise.resolve(holds.shift() ?? true);
    };
    const inbound = new Inbound(
      config,
      store as unknown as DeliveryRecords,
      publisher as unknown as EventPublisher,
      { order } as unknown as Outcomes,
      () => NOW,
    );
    const taken = inbound.take({ accountId: 'default', raw: Buffer.from(raw), envelopeTo: null });
    let over = false;
    const ended = () => (over = true);
    taken.then(ended, ended);
    for (; !over; await new Promise(setImmediate)) jest.advanceTimersByTime(100);
    return taken;
  };
  const addresses = () => published.flat().map(({ data }) => (data as { address: string }).address);

  it('is recorded once the attempt is over, with the time that it states', async () => {
    const answer = await take(of('failed', 'ada'), delivery('sending'), delivery('sending'), delivery('sent'));
    expect(answer).toMatchObject({ kind: 'bounce', message_id: ID, recipient: 'ada@example.org', recorded: true });
    expect(looks).toBe(3);
    expect(published).toMatchObject([[{ type: 'MessageReturned', time: WRITTEN, data: { hard: true, own: true } }]]);
    expect(ordered).toEqual([]);
  });

  it('is answered with unavailable while the attempt goes on, so that it is sent again', async () => {
    await expect(take(of('failed', 'ada'), delivery('sending'))).rejects.toMatchObject({ code: 'unavailable' });
    expect(published).toEqual([]);
  });

  it('does not wait for the attempt if it has nothing to record', async () => {
    const answer = await take(of('delayed', 'ada'), delivery('sending'));
    expect(answer).toMatchObject({ kind: 'delayed', message_id: ID, recorded: false });
    expect(looks).toBe(1);
    expect(published).toEqual([]);
  });

  it('waits for the attempt with a complaint as with a bounce', async () => {
    const sending = delivery('sending', { recipients: ['ada@example.org'] });
    expect(await take(about(ARF), sending, { ...sending, state: 'sent' })).toMatchObject({ recorded: true });
    expect(published).toMatchObject([[{ type: 'MessageComplained', data: { address: 'ada@example.org' } }]]);
  });

  it('ends a delivery that may have arrived, and publishes the bounces of copies too', async () => {
    const answer = await take(of('failed', 'ada', 'bob'), delivery('uncertain', { dueAt: NOW + 1 }));
    expect(answer.recorded).toBe(true);
    expect(ordered).toMatchObject([{ next: { state: 'bounced', dueAt: null }, event: { data: { own: true } } }]);
    expect(addresses()).toEqual(['bob@example.org']);
  });

  it('counts as recorded if it only ends the delivery', async () => {
    expect((await take(of('failed', 'ada'), delivery('uncertain'))).recorded).toBe(true);
    expect(published).toEqual([]);
  });

  it('looks the delivery up again if another attempt began meanwhile', async () => {
    holds = [false];
    await take(of('failed', 'ada', 'bob'), delivery('uncertain'), delivery('sending'), delivery('sent'));
    expect(ordered).toHaveLength(1);
    expect(addresses()).toEqual(['ada@example.org', 'bob@example.org']);
  });

  it('is parsed but not recorded if it is about an unknown message', async () => {
    const unknown = { message_id: null, recipient: 'ada@example.org', hard: true, recorded: false };
    expect(await take(of('failed', 'ada'), undefined)).toMatchObject(unknown);
    expect(looks).toBe(1);
    const other = returnPathOf(config, { accountId: newId(NOW), messageId: ID })!;
    const foreign = of('failed', 'ada').replaceAll('bounce+token@mail.example.com', other);
    expect(await take(foreign, delivery('sent'))).toMatchObject(unknown);
    expect([looks, published]).toEqual([1, []]);
  });

  it('is refused if its return path was not signed here', async () => {
    const forged = of('failed', 'ada').replaceAll('bounce+token@mail', 'bounce+token@bounces');
    await expect(take(forged, delivery('sent'))).rejects.toMatchObject({ code: 'return_path_forged' });
    expect([looks, published]).toEqual([0, []]);
  });

  it('puts final results first in the response', async () => {
    const delayed = ['Final-Recipient: rfc822; bob@example.org', 'Action: delayed', 'Status: 4.4.1', ''];
    const failed = ['Final-Recipient: rfc822; ada@example.org', 'Action: failed', 'Status: 5.1.1'];
    const answer = await take(about(dsn([...delayed, ...failed])), delivery('sent'));
    expect(answer.recipients.map(({ kind }) => kind)).toEqual(['delayed', 'bounce']);
    expect(answer).toMatchObject({ kind: 'bounce', recipient: 'ada@example.org', hard: true });
  });
});
