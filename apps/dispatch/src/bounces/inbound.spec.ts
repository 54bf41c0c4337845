import type { EventPublisher } from '@lettermill/log';
import { newId, type AnyEvent } from '@lettermill/events';
import type { Config } from '@lettermill/config';
import { returnPathOf } from '@lettermill/runtime';
import type { DeliveryRecords, StoredDelivery } from '../deliveries/deliveries.store';
import type { Delivery } from '../lifecycle/delivery';
import type { Outcomes } from '../sending/outcomes';
import { dsn } from '../testing/bounce.parts';
import { ARF } from '../testing/other.mails';
import { InboundReports } from './inbound';

const NOW = Date.parse('2026-03-06T10:00:00.000Z');
const END_OF_THE_SECOND = '2026-03-05T10:00:00.999Z';
const MESSAGE_ID = newId(NOW - 7 * 86_400_000);
const config = { returnPath: 'bounces.example.com', internalSecret: 's'.repeat(32) } as Config;
const withMessageId = (raw: string) => raw.replace('0000000000000000AB', MESSAGE_ID);
const reportOf = (action: string, ...names: string[]) =>
  withMessageId(
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
  accountId: 'default',
  messageId: MESSAGE_ID,
  state,
  attempts: 1,
  dueAt: null,
  priority: 1,
  content: null,
  recipients: ['ada@example.org', 'bob@example.org'],
  ...over,
});

describe('an inbound report about a mail', () => {
  let found: (StoredDelivery | undefined)[];
  let lookUps: number;
  let published: AnyEvent[][];
  let orders: { next: Delivery; event: AnyEvent }[];
  let orderResults: boolean[];
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    [found, lookUps, published, orders, orderResults] = [[], 0, [], [], []];
  });
  afterEach(() => jest.useRealTimers());

  /** `answers` are what the store finds at each look; the last one is repeated. */
  const takeReport = async (raw: string, ...answers: (StoredDelivery | undefined)[]) => {
    found = answers;
    const store = {
      find: () => Promise.resolve([found[Math.min(lookUps++, found.length - 1)]].filter((one) => one !== undefined)),
    };
    const publisher = { publish: (events: AnyEvent[]) => Promise.resolve(void published.push(events)) };
    const order = (_: Delivery, next: Delivery, event: AnyEvent) => {
      orders.push({ next, event });
      return Promise.resolve(orderResults.shift() ?? true);
    };
    const inbound = new InboundReports(
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

  it('is recorded once the attempt is over, with the second that it states', async () => {
    const answer = await takeReport(
      reportOf('failed', 'ada'),
      delivery('sending'),
      delivery('sending'),
      delivery('sent'),
    );
    expect(answer).toMatchObject({
      kind: 'bounce',
      message_id: MESSAGE_ID,
      recipient: 'ada@example.org',
      recorded: true,
    });
    expect(lookUps).toBe(3);
    expect(published).toMatchObject([
      [{ type: 'MessageReturned', time: END_OF_THE_SECOND, data: { hard: true, own: true } }],
    ]);
    expect(orders).toEqual([]);
  });

  it('is answered with unavailable while the attempt goes on, so that it is sent again', async () => {
    await expect(takeReport(reportOf('failed', 'ada'), delivery('sending'))).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(published).toEqual([]);
  });

  describe('while copies of a bounced mail are sent on their own', () => {
    const sendingBob = delivery('sending', { rest: { to: ['bob@example.org'], after: 'bounced' } });
    const bobHasIt = delivery('bounced', { attempts: 2, rest: { to: ['ada@example.org'], after: null } });

    it('waits for the attempt if it is about such a copy', async () => {
      expect(await takeReport(reportOf('failed', 'bob'), sendingBob, sendingBob, bobHasIt)).toMatchObject({
        recorded: true,
      });
      expect([lookUps, addresses()]).toEqual([3, ['bob@example.org']]);
    });

    it('is not recorded in parts', async () => {
      const toBoth = delivery('sending', { ...sendingBob, recipients: [...sendingBob.recipients, 'eve@example.org'] });
      const ended = { ...bobHasIt, recipients: toBoth.recipients };
      await takeReport(reportOf('failed', 'bob', 'eve'), toBoth, ended);
      expect(published).toMatchObject([
        [{ data: { address: 'bob@example.org' } }, { data: { address: 'eve@example.org' } }],
      ]);
    });

    it('does not wait if it is about others, or if an earlier attempt may have reached the copy', async () => {
      expect((await takeReport(reportOf('failed', 'ada'), sendingBob)).recorded).toBe(false);
      expect((await takeReport(reportOf('failed', 'bob'), { ...sendingBob, mayHaveArrived: true })).recorded).toBe(
        true,
      );
      const afterSent = delivery('sending', { rest: { to: ['bob@example.org'], after: 'sent' } });
      expect((await takeReport(reportOf('failed', 'bob'), afterSent)).recorded).toBe(true);
      expect(lookUps).toBe(3);
    });
  });

  it('does not wait for the attempt if it has nothing to record', async () => {
    const answer = await takeReport(reportOf('delayed', 'ada'), delivery('sending'));
    expect(answer).toMatchObject({ kind: 'delayed', message_id: MESSAGE_ID, recorded: false });
    expect(lookUps).toBe(1);
    expect(published).toEqual([]);
  });

  it('waits for the attempt with a complaint as with a bounce', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const sending = delivery('sending', { recipients: ['ada@example.org'], traceparent });
    expect(await takeReport(withMessageId(ARF), sending, { ...sending, state: 'sent' })).toMatchObject({
      recorded: true,
    });
    const frame = { id: `${MESSAGE_ID}/complained/ada@example.org`, key: MESSAGE_ID, source: 'dispatch', traceparent };
    expect(published).toMatchObject([[{ ...frame, type: 'MessageComplained', data: { address: 'ada@example.org' } }]]);
  });

  it('ends a delivery that may have arrived, and publishes the bounces of copies too', async () => {
    const answer = await takeReport(reportOf('failed', 'ada', 'bob'), delivery('uncertain', { dueAt: NOW + 1 }));
    expect(answer.recorded).toBe(true);
    expect(orders).toMatchObject([{ next: { state: 'bounced', dueAt: null }, event: { data: { own: true } } }]);
    expect(addresses()).toEqual(['bob@example.org']);
  });

  it('counts as recorded if it only ends the delivery', async () => {
    expect((await takeReport(reportOf('failed', 'ada'), delivery('uncertain'))).recorded).toBe(true);
    expect(published).toEqual([]);
  });

  it('looks the delivery up again if another attempt began meanwhile', async () => {
    orderResults = [false];
    await takeReport(reportOf('failed', 'ada', 'bob'), delivery('uncertain'), delivery('sending'), delivery('sent'));
    expect(orders).toHaveLength(1);
    expect(addresses()).toEqual(['ada@example.org', 'bob@example.org']);
  });

  it('is parsed but not recorded if it is about an unknown message', async () => {
    const unknown = { message_id: null, recipient: 'ada@example.org', hard: true, recorded: false };
    expect(await takeReport(reportOf('failed', 'ada'), undefined)).toMatchObject(unknown);
    expect(lookUps).toBe(1);
    const other = returnPathOf(config, { accountId: newId(NOW), messageId: MESSAGE_ID })!;
    const foreign = reportOf('failed', 'ada').replaceAll('bounce+token@mail.example.com', other);
    expect(await takeReport(foreign, delivery('sent'))).toMatchObject(unknown);
    expect([lookUps, published]).toEqual([1, []]);
  });

  it('names its message by the return path alone, in words of any language or to an account of another provider', async () => {
    const returnPath = returnPathOf(config, { accountId: 'default', messageId: MESSAGE_ID })!;
    const header = ['Return-Path: <>', 'From: MAILER-DAEMON@example.net', `To: <${returnPath}>`, 'MIME-Version: 1.0'];
    const toAda = delivery('sent', { recipients: ['ada@example.org'] });
    const told = { kind: 'bounce', recipient: 'ada@example.org', hard: false, recorded: true };
    const unnamed = ['Subject: Undelivered mail', '', 'The recipient could not be reached:', '  ada1815'];
    expect(await takeReport([...header, ...unnamed].join('\r\n'), toAda)).toMatchObject(told);
    const hebrew = [
      'Subject: =?utf-8?B?15PXldeX?=',
      'Content-Type: text/plain; charset=utf-8',
      '',
      'אין משתמש כזה: ada@example.org',
    ];
    expect(await takeReport([...header, ...hebrew].join('\r\n'), toAda)).toMatchObject(told);
    expect(addresses()).toEqual(['ada@example.org', 'ada@example.org']);
    expect(await takeReport([...header, ...unnamed].join('\r\n'), delivery('sent'))).toMatchObject({
      kind: 'bounce',
      recipient: null,
      recipients: [],
      recorded: false,
    });
  });

  it('is refused if its return path was not signed here', async () => {
    const forged = reportOf('failed', 'ada').replaceAll('bounce+token@mail', 'bounce+token@bounces');
    await expect(takeReport(forged, delivery('sent'))).rejects.toMatchObject({ code: 'return_path_forged' });
    expect([lookUps, published]).toEqual([0, []]);
  });

  it('puts final results first in the response', async () => {
    const delayed = ['Final-Recipient: rfc822; bob@example.org', 'Action: delayed', 'Status: 4.4.1', ''];
    const failed = ['Final-Recipient: rfc822; ada@example.org', 'Action: failed', 'Status: 5.1.1'];
    const answer = await takeReport(withMessageId(dsn([...delayed, ...failed])), delivery('sent'));
    expect(answer.recipients.map(({ kind }) => kind)).toEqual(['delayed', 'bounce']);
    expect(answer).toMatchObject({ kind: 'bounce', recipient: 'ada@example.org', hard: true });
  });
});
