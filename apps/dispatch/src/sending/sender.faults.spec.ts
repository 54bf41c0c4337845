import { Logger } from '@nestjs/common';
import { ContentDamaged } from '@lettermill/blobs';
import { StoreUnavailable } from '@lettermill/storage';
import { register } from 'prom-client';
import { afterwards, rawServer, answeringServer } from '../testing/test.servers';
import { messageId, queued, until } from '../testing/dispatch.service';
import { dispatchFile, isSettled, typesOf } from '../testing/dispatched';
import { AnsweringServer } from '../testing/answering.server';
import type { Script } from '../testing/raw.server';
import { Outcomes } from './outcomes';
import { SignedMails } from './signed.mails';
import { DueQueue } from '../due/due.queue';
import { Attempts } from './attempts';
import { Leases } from './leases';

const unreadableCount = async () =>
  (await register.getSingleMetric('lettermill_dispatch_unreadable_total')?.get())?.values[0]?.value;

describe('the sender in case of faults', () => {
  it('bounces, fails and defers as the hop replies, and reports each attempt once', async () => {
    const server = await answeringServer();
    const on = dispatchFile();
    const service = await on.start(server.port, { retryDelays: [0.05, 0.05] });
    await service.take(queued(1, 'rcpt-550'), queued(2, 'data-451-once'), queued(3, 'rcpt-450'), queued(4, 'ada'));
    const ended = () => on.publishedEvents().filter(({ type }) => /Bounced|Sent|Failed/.test(type));
    await until('four ends', () => ended().length === 4);
    expect(typesOf(on, 1)).toEqual(['MessageBounced']);
    expect(typesOf(on, 2)).toEqual(['MessageDeferred', 'MessageSent']);
    expect(typesOf(on, 3)).toEqual(['MessageDeferred', 'MessageDeferred', 'MessageFailed']);
    expect(typesOf(on, 4)).toEqual(['MessageSent']);
    expect(on.publishedEvents('MessageBounced')[0]).toMatchObject({
      id: `${messageId(1)}/attempt-1/bounced`,
      source: 'dispatch',
      key: messageId(1),
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      data: {
        account_id: 'default',
        address: 'rcpt-550@example.com',
        hard: true,
        reason: { code: 'mailbox_unknown' },
        attempt: {
          number: 1,
          outcome: 'bounced',
          remote_address: '127.0.0.1',
          tls: null,
          next_hop: `127.0.0.1:${server.port}`,
          reply: { code: 550 },
        },
      },
    });
    expect(on.publishedEvents('MessageFailed')[0]).toMatchObject({
      data: { reason: { code: 'attempts_used_up' }, attempt: { number: 3, outcome: 'deferred' } },
    });
  });

  it('sends nothing that has expired or lost its content', async () => {
    const server = await answeringServer();
    const on = dispatchFile();
    const service = await on.start(server.port);
    const lost = queued(2, 'ada');
    lost.mail.html = { blob: 'a'.repeat(64), size: 5 };
    await service.take(queued(1, 'ada', { expires_at: '2020-01-01T00:00:00.000Z' }), lost);
    await until('two ends', () => on.publishedEvents().length >= 2);
    const codes = on.publishedEvents('MessageFailed').map(({ data }) => 'reason' in data && data.reason?.code);
    expect(codes.sort()).toEqual(['content_lost', 'expired']);
    expect(server.taken).toEqual([]);
  });

  it.each<Script>([{ greeting: 'hang' }, { data: 'hang' }])(
    'hands over no mail that expires while the hop makes it wait (%j)',
    async (script) => {
      const server = await rawServer(script);
      const on = dispatchFile();
      const service = await on.start(server.port);
      await service.take(queued(1, 'ada', { expires_at: new Date(Date.now() + 500).toISOString() }));
      await until('it ends', () => on.publishedEvents('MessageFailed').length > 0);
      expect(on.publishedEvents('MessageFailed')[0]).toMatchObject({ data: { reason: { code: 'expired' } } });
      expect(server.contents).toEqual([]);
    },
  );

  it('keeps a mail whose composition is interrupted by an internal error, and tries it again', async () => {
    const damaged = new ContentDamaged({ blob: 'a'.repeat(64), size: 9 }, 5);
    jest
      .spyOn(SignedMails.prototype, 'compose')
      .mockRejectedValueOnce(new Error('EIO: i/o error, read'))
      .mockRejectedValueOnce(damaged);
    const server = await answeringServer();
    const on = dispatchFile();
    const service = await on.start(server.port, { retryDelays: [0.05, 0.05] });
    await service.take(queued(1, 'ada'));
    await until('sent', () => on.publishedEvents('MessageSent').length > 0);
    expect(typesOf(on, 1)).toEqual(['MessageDeferred', 'MessageDeferred', 'MessageSent']);
    const code = 'composing_failed';
    expect(on.publishedEvents('MessageDeferred')).toMatchObject([
      { data: { reason: { code, detail: 'An internal error interrupted the composition of the mail.' } } },
      { data: { reason: { code, detail: damaged.message } } },
    ]);
  });

  it('spends no attempt while contents of mails cannot be read, counts them, and says so once', async () => {
    const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const away = new StoreUnavailable('away');
    jest.spyOn(SignedMails.prototype, 'compose').mockRejectedValueOnce(away).mockRejectedValueOnce(away);
    const server = await answeringServer();
    const on = dispatchFile();
    const service = await on.start(server.port, { retryDelays: [] });
    const before = await unreadableCount();
    const settled = jest.spyOn(service.app.get(Outcomes), 'settle');
    await service.take(queued(1, 'ada'), queued(2, 'bob'));
    await until('they are given back', () => settled.mock.calls.length > 1);
    for (const [{ next }, event] of settled.mock.calls)
      expect([next, event]).toMatchObject([{ state: 'queued', attempts: 0 }, null]);
    expect(on.publishedEvents()).toEqual([]);
    expect((await unreadableCount())! - before!).toBe(2);
    const texts = warned.mock.calls.map(([text]) => text as string);
    expect(texts.filter((text) => /cannot be read.*: away$/.test(text))).toHaveLength(1);
    warned.mockRestore();
  });

  it.each([0, 1, 2, 3])('loses no message that expires while the clock is set back (%i)', async (behind) => {
    const server = await answeringServer();
    const on = dispatchFile();
    const expiry = Date.now() + 3_600_000;
    let time: number | undefined;
    const service = await on.start(server.port, { now: () => (time === undefined ? Date.now() : (time -= 1)) });
    const attempts = service.app.get(Attempts);
    const run = attempts.run.bind(attempts);
    jest.spyOn(attempts, 'run').mockImplementation((...given) => {
      time = expiry + behind;
      return run(...given);
    });
    await service.take(queued(1, 'ada', { expires_at: new Date(expiry).toISOString() }));
    await until('it ends', () => on.publishedEvents().length > 0);
  });

  it('sends the same bytes again after an unknown outcome', async () => {
    const server = await rawServer((connection) => (connection === 1 ? { dot: 'cut' } : {}));
    const on = dispatchFile();
    const service = await on.start(server.port);
    await service.take(queued(1, 'ada'));
    await until('sent', () => on.publishedEvents('MessageSent').length > 0);
    expect(typesOf(on, 1)).toEqual(['MessageUncertain', 'MessageSent']);
    expect(on.publishedEvents('MessageUncertain')[0]).toMatchObject({
      data: { attempt: { number: 1, outcome: 'unknown' } },
    });
    expect(server.contents).toHaveLength(2);
    expect(server.contents[0]).toBe(server.contents[1]);
  });

  it('holds an unknown outcome if the campaign says so', async () => {
    const server = await rawServer({ dot: 'cut' });
    const on = dispatchFile();
    const service = await on.start(server.port);
    await service.take(queued(1, 'ada', { on_uncertain: 'hold' }));
    await until('uncertain', () => on.publishedEvents().length > 0);
    expect(on.publishedEvents('MessageUncertain')[0]).toMatchObject({ data: { retry_at: null } });
    expect(await service.store.countWaiting(10)).toBe(0);
  });

  it.each<[string, () => jest.SpyInstance, Error]>([
    ['leases of others', () => jest.spyOn(Leases.prototype, 'takeOver'), new Error('a defect')],
    ['the lanes', () => jest.spyOn(DueQueue.prototype, 'findLanes'), new StoreUnavailable('away')],
  ])('starts sending even if looking for %s failed once at the start', async (_, step, fault) => {
    const asked = step().mockRejectedValueOnce(fault);
    const server = await answeringServer();
    const on = dispatchFile();
    const service = await on.start(server.port);
    await service.take(queued(1, 'ada'));
    await until('sent', () => on.publishedEvents('MessageSent').length > 0);
    expect(asked.mock.calls.length).toBeGreaterThan(1);
  });

  it('tries an unavailable hop with one message at a time, and sends the rest when it is back', async () => {
    const server = await new AnsweringServer().listen();
    const { port } = server;
    await server.close();
    const on = dispatchFile();
    const service = await on.start(port, { retryDelays: [0.3, 0.3, 0.3, 0.3, 0.3] });
    await service.take(...Array.from({ length: 50 }, (_, n) => queued(n, `n${n}`)));
    await until('one attempt', () => on.publishedEvents().length > 0);
    expect(on.publishedEvents()).toHaveLength(1);
    expect(on.publishedEvents('MessageDeferred')[0]).toMatchObject({
      data: { reason: { code: 'next_hop_unavailable' } },
    });
    await server.restart(port);
    afterwards(() => server.close());
    await until('all sent', () => on.publishedEvents('MessageSent').length === 50);
    expect(on.publishedEvents('MessageDeferred').length).toBeLessThanOrEqual(3);
    expect(new Set(server.taken.map(({ to }) => to[0])).size).toBe(50);
  });

  it('keeps outcomes while the log is unavailable, and publishes them afterwards', async () => {
    const server = await answeringServer();
    const on = dispatchFile();
    const service = await on.start(server.port);
    on.log.isUnavailable = true;
    await service.take(...Array.from({ length: 20 }, (_, n) => queued(n, `n${n}`)));
    await until('all taken', () => server.taken.length === 20);
    expect(on.publishedEvents()).toEqual([]);
    on.log.isUnavailable = false;
    await until('all told', () => on.publishedEvents('MessageSent').length === 20);
    await until('all forgotten', isSettled(service));
    expect(new Set(on.publishedEvents().map(({ id }) => id)).size).toBe(20);
  });
});

describe('a repeated MessageQueued', () => {
  it('is sent only once, whether it repeats before or after the mail was sent', async () => {
    const server = await answeringServer();
    const on = dispatchFile();
    const service = await on.start(server.port);
    await service.take(queued(1, 'ada'), queued(2, 'bob'));
    await service.take(queued(1, 'ada'), queued(2, 'bob'));
    await until('both sent', () => on.publishedEvents().length >= 2);
    await service.take(queued(1, 'ada'), queued(3, 'eve'));
    await until('the third sent', () => on.publishedEvents().length >= 3);
    expect(server.taken.map(({ to }) => to[0]).sort()).toEqual(
      ['ada', 'bob', 'eve'].map((name) => `${name}@example.com`),
    );
  });
});
