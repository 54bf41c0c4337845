import { Logger } from '@nestjs/common';
import { pause } from '@lettermill/concurrency';
import { newId } from '@lettermill/events';
import { hesitantServer, rawServer, answeringServer } from '../testing/test.servers';
import { DueQueue } from '../due/due.queue';
import { Orders } from '../orders/orders';
import { messageId, queued, until, type DispatchService } from '../testing/dispatch.service';
import { dispatchFile, isSettled, typesOf } from '../testing/dispatched';
import { StoreUnavailable } from '@lettermill/storage';
import { ActiveDeliveries } from './active.deliveries';
import { RENEW_INTERVAL_MS } from './leases';
import { Outcomes } from './outcomes';
import { Sender } from './sender';

/** Resolves once the process has started; `keep` is what it does every twenty seconds from then on. */
async function started(start: Promise<DispatchService>): Promise<{ service: DispatchService; keep: () => void }> {
  const intervals = jest.spyOn(globalThis, 'setInterval');
  const keepings = () => intervals.mock.calls.filter(([, ms]) => ms === RENEW_INTERVAL_MS).map(([keep]) => keep);
  const service = await start;
  await until('it has started', () => keepings().length > 0);
  const [keep] = keepings();
  intervals.mockRestore();
  return { service, keep: keep! };
}

describe('a process that crashes', () => {
  it('leaves attempts that its successor takes over at once as uncertain', async () => {
    const server = await rawServer((connection) => (connection <= 1 ? { dot: 'hang' } : {}));
    const on = dispatchFile();
    const first = await on.start(server.port);
    await first.take(queued(1, 'ada'), queued(2, 'bob'));
    await until('handed over', () => server.contents.length > 0);
    await first.die();
    await on.start(server.port);
    await until('both sent', () => [1, 2].every((n) => typesOf(on, n).includes('MessageSent')));
    expect(typesOf(on, 1)).toEqual(['MessageUncertain', 'MessageSent']);
    expect(on.publishedEvents('MessageSent').find(({ key }) => key === messageId(1))).toMatchObject({
      data: { attempt: { number: 2 } },
    });
  });

  it('leaves outcomes that its successor publishes', async () => {
    const server = await answeringServer();
    const on = dispatchFile();
    on.log.isUnavailable = true;
    const first = await on.start(server.port);
    await first.take(queued(1, 'ada'));
    await until('recorded', async () => (await first.store.unannounced(1)).length === 1);
    await first.die();
    on.log.isUnavailable = false;
    const second = await on.start(server.port);
    await until('told', () => on.publishedEvents().length === 1);
    expect(on.publishedEvents()[0]).toMatchObject({ id: `${messageId(1)}/attempt-1/sent`, type: 'MessageSent' });
    await until('forgotten', isSettled(second));
  });

  it('leaves outcomes that another live process publishes if it never restarts', async () => {
    const server = await answeringServer();
    const on = dispatchFile();
    const { service: first } = await started(on.start(server.port, { instance: 'one' }));
    const { keep } = await started(on.start(server.port, { instance: 'two' }));
    on.log.isUnavailable = true;
    await first.take(queued(1, 'ada'));
    await until('recorded', async () => (await first.store.unannounced(1)).length === 1);
    await first.die();
    on.log.isUnavailable = false;
    await until('told', () => {
      keep();
      return on.publishedEvents().length > 0;
    });
    expect(on.publishedEvents()[0]).toMatchObject({ id: `${messageId(1)}/attempt-1/sent`, type: 'MessageSent' });
  });

  it('leaves claims that another process takes over the first time that it renews its own', async () => {
    const server = await rawServer((connection) => (connection === 1 ? { dot: 'hang' } : {}));
    const on = dispatchFile();
    const first = await on.start(server.port, { instance: 'one' });
    await first.take(queued(1, 'ada'));
    await until('handed over', () => server.contents.length > 0);
    await first.die();
    const { keep } = await started(on.start(server.port, { instance: 'two', now: () => Date.now() + 61_000 }));
    expect(typesOf(on, 1)).toEqual([]);
    keep();
    await until('sent', () => typesOf(on, 1).includes('MessageSent'));
    expect(typesOf(on, 1)).toEqual(['MessageUncertain', 'MessageSent']);
  });

  it('keeps its claims while it is alive, even when another process starts', async () => {
    const server = await rawServer((connection) => (connection === 1 ? { dot: 'hang' } : {}));
    const on = dispatchFile();
    const first = await on.start(server.port, { instance: 'one' });
    await first.take(queued(1, 'ada'));
    await until('handed over', () => server.contents.length > 0);
    const second = await on.start(server.port, { instance: 'two' });
    await second.take(queued(2, 'bob'));
    await until('the second works', () => on.publishedEvents('MessageSent').length === 1);
    // It may be reported as in progress, if it takes long, but never as ended.
    expect(typesOf(on, 1).filter((type) => type !== 'MessageSending')).toEqual([]);
    await first.die();
  });
});

describe('a clock that was set back', () => {
  const HOUR = 3_600_000;

  it.each([
    ['after', HOUR],
    ['before', 0],
  ])('does not delay messages queued before the restart and accepted %s it had gone ahead', async (_when, since) => {
    const on = dispatchFile();
    const ahead = () => Date.now() + HOUR;
    const nobody = await rawServer(() => ({ mail: 'hang' }));
    const first = await on.start(nobody.port, { now: ahead, retryDelays: [60] });
    const ids = Array.from({ length: 40 }, () => newId(Date.now() + since));
    await first.take(...ids.map((id, n) => ({ ...queued(n, `n${n}`), message_id: id })));
    await until('begun', () => nobody.commands.some((command) => command.startsWith('MAIL')));
    await first.stop();
    const server = await answeringServer();
    await on.start(server.port, { retryDelays: [60] });
    await until('all are sent', () => on.publishedEvents('MessageSent').length === 40);
    expect(server.taken).toHaveLength(40);
  });
});

describe('an attempt that was begun before the clock was set back', () => {
  it('is reported with a start no later than its end', async () => {
    const on = dispatchFile();
    const server = await rawServer((connection) => (connection === 1 ? { dot: 'hang' } : {}));
    const first = await on.start(server.port, { now: () => Date.now() + 3_600_000 });
    await first.take(queued(1, 'ada'));
    await until('handed over', () => server.contents.length > 0);
    await first.die();
    await on.start(server.port);
    await until('told', () => typesOf(on, 1).includes('MessageUncertain'));
    const { attempt } = on.publishedEvents('MessageUncertain')[0]!.data as {
      attempt: { at: string; ended_at: string };
    };
    expect(Date.parse(attempt.at)).toBeLessThanOrEqual(Date.parse(attempt.ended_at));
  });
});

describe('two dispatch processes on one queue', () => {
  it('send each message once, even when one of them stops', async () => {
    const server = await answeringServer();
    const on = dispatchFile();
    const one = await on.start(server.port, { instance: 'one' });
    const two = await on.start(server.port, { instance: 'two' });
    const all = Array.from({ length: 200 }, (_, n) => queued(n, `n${n}`));
    await Promise.all([one.take(...all.slice(0, 120)), two.take(...all.slice(80))]);
    await until('some are sent', () => server.taken.length > 20);
    await one.stop();
    await two.take(queued(200, 'n200'));
    await until('all are sent', () => on.publishedEvents('MessageSent').length === 201);
    expect(new Set(server.taken.map(({ to }) => to[0])).size).toBe(201);
    expect(server.taken).toHaveLength(201);
  });
});

describe('a message released by a stopping process', () => {
  it('can be cancelled before sending goes on, although the last report says that it is being sent', async () => {
    const server = await rawServer((connection) => (connection === 1 ? { mail: 'hang' } : {}));
    const on = dispatchFile();
    const one = await on.start(server.port);
    await one.take(queued(1, 'ada'));
    await until('it is reported', () => on.publishedEvents('MessageSending').length === 1);
    await one.stop();
    const paused = await on.start(server.port, { sending: { hopRate: 0 } });
    const key = { accountId: 'default', messageId: messageId(1) };
    expect(on.publishedEvents().at(-1)!.type).toBe('MessageSending');
    expect(await paused.app.get(Orders).cancel(key, false)).toMatchObject({ state: 'cancelled' });
    await paused.stop();
    const again = await on.start(server.port);
    await again.take(queued(2, 'bob'));
    await until('another one is sent', () => on.publishedEvents('MessageSent').length === 1);
    expect(typesOf(on, 1)).toEqual(['MessageCancelled']);
  });

  it('is soon sent by another process that is idle', async () => {
    const server = await rawServer((connection) => (connection === 1 ? { mail: 'hang' } : {}));
    const on = dispatchFile();
    const one = await on.start(server.port, { instance: 'one' });
    await one.take(queued(1, 'ada'));
    await until('begun', () => server.commands.some((command) => command.startsWith('MAIL')));
    const two = await on.start(server.port, { instance: 'two' });
    await two.take(queued(2, 'bob'));
    await until('the second has nothing left', () => on.publishedEvents('MessageSent').length === 1);
    // Longer than the sender trusts its last read to be everything that is due.
    await pause(2_500);
    await one.stop();
    await until('sent', () => typesOf(on, 1).includes('MessageSent'));
  });
});

describe('a message that is given back', () => {
  it('keeps its place before those that came after it', async () => {
    const server = await rawServer((connection) => (connection === 1 ? { rcpt: 'hang' } : {}));
    const on = dispatchFile();
    const sending = { connections: 1 };
    const first = await on.start(server.port, { sending });
    for (const n of [1, 2, 3]) {
      await first.take(queued(n, `n${n}`));
      await pause(2);
    }
    await until('the first is begun', () => server.commands.some((command) => command.startsWith('RCPT')));
    await first.stop();
    await on.start(server.port, { sending });
    await until('all are sent', () => on.publishedEvents('MessageSent').length === 3);
    const recipients = server.commands.filter((command) => command.startsWith('RCPT'));
    expect(recipients).toEqual([1, 1, 2, 3].map((n) => `RCPT TO:<n${n}@example.com>`));
  });

  it('is due at once, even if the clock was set back since it was due', async () => {
    const server = await rawServer({ rcpt: 'hang' });
    let time = Date.now();
    const service = await dispatchFile().start(server.port, { now: () => time });
    const settled = jest.spyOn(service.app.get(Outcomes), 'settle');
    await service.take(queued(1, 'ada'));
    await until('it is begun', () => server.commands.some((command) => command.startsWith('RCPT')));
    time -= 3_600_000;
    await service.stop();
    expect(settled.mock.calls[0]![0]).toMatchObject({ next: { state: 'queued', dueAt: time } });
  });
});

describe('a stopping process', () => {
  it('does not report the store that closes while it reads as a fault', async () => {
    const server = await answeringServer();
    const service = await dispatchFile().start(server.port);
    let breakOff: ((error: Error) => void) | undefined;
    const read = new Promise<never>((_, reject) => (breakOff = reject));
    const reading = jest.spyOn(service.app.get(DueQueue), 'take').mockReturnValue(read);
    const leaving = jest.spyOn(service.app.get(ActiveDeliveries), 'close');
    const warned = jest.spyOn(Logger.prototype, 'warn');
    service.app.get(Sender).noteDue(1);
    await until('it reads', () => reading.mock.calls.length > 0);
    const stopped = service.stop();
    await until('it is leaving', () => leaving.mock.calls.length > 0);
    breakOff!(new StoreUnavailable('the store is closing'));
    await stopped;
    await pause(0);
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
  });

  it('waits for a mail that was handed over, and reports its outcome', async () => {
    const server = await hesitantServer();
    const on = dispatchFile();
    const service = await on.start(server.port);
    await service.take(queued(1, 'ada'));
    await until('handed over', () => server.handedOver());
    const stopped = service.stop();
    server.answer();
    await stopped;
    expect(typesOf(on, 1)).toEqual(['MessageSent']);
  });

  it.each(['insertAndClaim', 'claim'] as const)('releases what is being claimed at that moment (%s)', async (step) => {
    const server = await answeringServer();
    const on = dispatchFile();
    const first = await on.start(server.port);
    await first.take(queued(2, 'bob'));
    await until('it has begun', () => on.publishedEvents().length > 0);
    if (step === 'claim') jest.spyOn(first.app.get(DueQueue), 'admit').mockReturnValue([]);
    const { store } = first;
    const claiming = store[step].bind(store) as (...given: unknown[]) => Promise<unknown>;
    let asked = false;
    let answer!: () => void;
    const gate = new Promise<void>((resolve) => (answer = resolve));
    jest.spyOn(store, step).mockImplementation((async (...given: unknown[]) => {
      const claimed = await claiming(...given);
      asked = true;
      await gate;
      return claimed;
    }) as never);
    const taken = first.take(queued(1, 'ada', { priority: 'high' }));
    await until('claimed', () => asked);
    const stopped = first.stop();
    await pause(50);
    answer();
    await Promise.all([taken, stopped]);
    jest.restoreAllMocks();
    await on.start(server.port);
    await until('both sent', () => [1, 2].every((n) => typesOf(on, n).includes('MessageSent')));
    expect(typesOf(on, 1)).toEqual(['MessageSent']);
  });

  it('counts no attempt for a mail that was not handed over', async () => {
    const server = await rawServer((connection) => (connection === 1 ? { mail: 'hang' } : {}));
    const on = dispatchFile();
    const first = await on.start(server.port);
    await first.take(queued(1, 'ada'));
    await until('begun', () => server.commands.some((command) => command.startsWith('MAIL')));
    await first.stop();
    expect(on.publishedEvents()).toEqual([]);
    await on.start(server.port);
    await until('sent', () => on.publishedEvents().length > 0);
    expect(on.publishedEvents()[0]).toMatchObject({ type: 'MessageSent', data: { attempt: { number: 1 } } });
  });
});
