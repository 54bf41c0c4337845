import { rawServer, answeringServer } from '../testing/test.servers';
import { until } from '../testing/dispatch.service';
import { content, hopAt, notWithdrawn, pool, to } from '../testing/pooled';
import type { Script } from '../testing/raw.server';
import { SMTP_DEFAULTS } from '../smtp/smtp.options';
import { Withdrawal } from '../smtp/smtp.withdrawal';

describe('pooled connections', () => {
  it('are reused for a number of messages, and limited in number', async () => {
    const server = await answeringServer();
    const smtp = pool(hopAt(server.port), { maxConnections: 3, maxMessages: 5 });
    await smtp.send(to('first'), content(), notWithdrawn());
    expect(smtp.capacity()).toBe(3);
    // Counted on our side: for the server, a connection that has said goodbye may still be open.
    const send = async (name: string) => ({
      end: await smtp.send(to(name), content(), notWithdrawn()),
      ...smtp.state(),
    });
    const sent = await Promise.all(Array.from({ length: 29 }, (_, i) => send(`n${i}`)));
    expect(sent.every(({ end }) => end?.outcome === 'sent')).toBe(true);
    expect(Math.max(...sent.map(({ open }) => open))).toBeLessThanOrEqual(3);
    expect(server.connections).toBeGreaterThanOrEqual(6);
    expect(new Set(server.taken.map((mail) => mail.to[0])).size).toBe(30);
  });

  it('are opened for a message that waits as soon as more are allowed', async () => {
    const server = await rawServer((connection) => (connection > 2 ? {} : { dot: 'hang' }));
    const smtp = pool(hopAt(server.port), { maxConnections: 2 });
    for (const name of ['ada', 'bob']) void smtp.send(to(name), content(), notWithdrawn());
    await until('both hang', () => server.contents.length === 2);
    const waiting = smtp.send(to('eve'), content(), notWithdrawn());
    smtp.allowExtraConnections(1);
    expect(await waiting).toMatchObject({ outcome: 'sent' });
  });

  it.each([
    ['after the final dot', { step: 'dot', outcome: 'unknown' }],
    ['in the middle of the content', { step: 'content', outcome: 'deferred' }],
  ] as const)('that break %s do not cause the mail to be sent again silently', async (_, { step, outcome }) => {
    let mails = 0;
    const server = await rawServer({
      dot: () => ((mails += 1) === 2 && step === 'dot' ? 'cut' : undefined),
      ...(step === 'content' && { contentAfter: { bytes: 100_000, step: 'cut' as const } }),
    });
    const smtp = pool(hopAt(server.port));
    await smtp.send(to('first'), content(), notWithdrawn());
    const text = step === 'content' ? 'x\r\n'.repeat(3_000_000) : undefined;
    expect(await smtp.send(to('ada'), content(text), notWithdrawn())).toMatchObject({ outcome });
    expect(server.commands.filter((command) => command.startsWith('MAIL'))).toHaveLength(2);
  });

  it('are few at first, and grow in number with each accepted mail up to the limit', async () => {
    const server = await answeringServer();
    const smtp = pool(hopAt(server.port), { maxConnections: 20 });
    const some = (count: number) =>
      Promise.all(Array.from({ length: count }, () => smtp.send(to('n'), content(), notWithdrawn())));
    await some(1);
    expect(smtp.capacity()).toBe(3);
    await some(10);
    expect(smtp.capacity()).toBe(13);
    expect(server.maxConcurrent).toBeLessThan(14);
    await some(30);
    expect(smtp.state()).toMatchObject({ window: 20 });
    expect(server.maxConcurrent).toBeLessThanOrEqual(20);
  });

  it.each([
    ['451 4.7.500 Server busy', 5],
    ['421 4.3.2 Closing', 1],
    ['451 4.1.8 Sender domain does not resolve', 10],
    ['550 5.7.1 Not from you', 10],
  ])('are reduced in number if the hop is busy, and only then: MAIL answered by %s', async (laterMail, left) => {
    let busy = false;
    const server = await rawServer({ mail: () => (busy ? laterMail : undefined) });
    const smtp = pool(hopAt(server.port), { maxConnections: 10 });
    for (let i = 0; i < 10; i += 1) await smtp.send(to('n'), content(), notWithdrawn());
    expect(smtp.capacity()).toBe(10);
    busy = true;
    await Promise.all(Array.from({ length: 3 }, () => smtp.send(to('n'), content(), notWithdrawn())));
    // No connection is left, so one finds out how the hop is; the window says how many may follow.
    expect(smtp.state().window).toBe(left);
  });

  it('are not reduced in number if one recipient is deferred', async () => {
    const server = await answeringServer();
    const smtp = pool(hopAt(server.port), { maxConnections: 5 });
    for (let i = 0; i < 5; i += 1) await smtp.send(to('n'), content(), notWithdrawn());
    expect(await smtp.send(to('rcpt-450'), content(), notWithdrawn())).toMatchObject({ outcome: 'deferred' });
    expect(smtp.capacity()).toBe(5);
  });

  it('are closed if the hop bears fewer, and opened again after its rest', async () => {
    let now = 0;
    let busy = false;
    const server = await rawServer({ mail: () => (busy ? '451 4.3.2 busy' : undefined) });
    const smtp = pool(hopAt(server.port), { maxConnections: 4 }, () => now);
    const some = (count: number) =>
      Promise.all(Array.from({ length: count }, () => smtp.send(to('n'), content(), notWithdrawn())));
    await some(5);
    await some(10);
    expect(smtp.state()).toMatchObject({ window: 4 });
    busy = true;
    now = 1;
    await some(4);
    expect(smtp.state()).toEqual({ open: 2, idle: 2, window: 2, up: true });
    await some(4);
    expect(smtp.state().window).toBe(2);
    busy = false;
    now = 30_001;
    await some(5);
    expect(smtp.capacity()).toBe(4);
  });

  it('carry 100 messages, last five minutes and are idle for 10 s, at most', async () => {
    const { maxMessages, maxAge, idle } = SMTP_DEFAULTS;
    expect([maxMessages, maxAge, idle]).toEqual([100, 300_000, 10_000]);
    const server = await rawServer({});
    const smtp = pool(hopAt(server.port));
    for (let i = 0; i < 100; i += 1) await smtp.send(to('n'), content(), notWithdrawn());
    expect(smtp.state().open).toBe(0);
    await until('it is told', () => server.commands.at(-1) === 'QUIT');
  });

  it('are reused up to an age', async () => {
    let now = 0;
    const server = await answeringServer();
    const smtp = pool(hopAt(server.port), { maxAge: 1000 }, () => now);
    await smtp.send(to('ada'), content(), notWithdrawn());
    now = 999;
    await smtp.send(to('ada'), content(), notWithdrawn());
    now = 1000;
    await smtp.send(to('ada'), content(), notWithdrawn());
    expect(server.connections).toBe(1);
    expect(smtp.state().open).toBe(0);
    await smtp.send(to('ada'), content(), notWithdrawn());
    expect(server.connections).toBe(2);
  });

  it('are closed when idle', async () => {
    const server = await answeringServer();
    const smtp = pool(hopAt(server.port), { idle: 20 });
    await smtp.send(to('ada'), content(), notWithdrawn());
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(smtp.capacity()).toBe(1);
    expect(await smtp.send(to('bob'), content(), notWithdrawn())).toMatchObject({ outcome: 'sent' });
    expect(server.connections).toBe(2);
  });

  it.each(['cut', '421 4.4.2 idle for too long'])(
    'cost no attempt if the hop closed all that were idle, which tells nothing about the hop (%s)',
    async (laterMail) => {
      const server = await rawServer({ laterMail });
      const smtp = pool(hopAt(server.port));
      const send = (name: string) => smtp.send(to(name), content(), notWithdrawn());
      const ends = [...(await Promise.all([send('ada'), send('bob')])), await send('eve')];
      expect(ends.map((end) => end?.outcome)).toEqual(['sent', 'sent', 'sent']);
      expect(server.contents).toHaveLength(3);
      expect(smtp.state()).toMatchObject({ open: 1, window: 5 });
    },
  );

  it('say that we send too fast if the hop does', async () => {
    const server = await rawServer({ mail: '450 4.7.28 an unusual rate of mail' });
    const end = await pool(hopAt(server.port)).send(to('ada'), content(), notWithdrawn());
    expect(end).toMatchObject({ outcome: 'deferred', hop: 'throttling', reason: { code: 'throttled' } });
  });

  it('cost one attempt in all if they break at once and the hop stays away', async () => {
    let away = false;
    const server = await rawServer(() => (away ? { greeting: 'cut' } : { mail: () => (away ? 'cut' : undefined) }));
    const smtp = pool(hopAt(server.port), { maxConnections: 4 });
    const some = (count: number) =>
      Promise.all(Array.from({ length: count }, () => smtp.send(to('n'), content(), notWithdrawn())));
    await some(5);
    await some(10);
    expect(smtp.state()).toMatchObject({ open: 4, idle: 4 });
    away = true;
    const ends = (await some(4)).map((end) => end?.outcome);
    expect(ends.filter((outcome) => outcome !== undefined)).toEqual(['deferred']);
  });

  it('that are fresh and answer 421 defer the message', async () => {
    const server = await rawServer({ mail: '421 4.3.2 not now' });
    const end = await pool(hopAt(server.port)).send(to('ada'), content(), notWithdrawn());
    expect(end).toMatchObject({ outcome: 'deferred', reply: { code: 421 } });
    expect(server.commands.filter((command) => command.startsWith('MAIL'))).toHaveLength(1);
  });

  it('stay within the limit of the hop: the message waits for an open one', async () => {
    const server = await rawServer((connection) =>
      connection > 2 ? { greeting: '421 4.7.0 too many connections' } : {},
    );
    const smtp = pool(hopAt(server.port));
    await smtp.send(to('first'), content(), notWithdrawn());
    const ends = await Promise.all(
      Array.from({ length: 12 }, (_, i) => smtp.send(to(`n${i}`), content(), notWithdrawn())),
    );
    expect(ends.map((end) => end?.outcome)).toEqual(Array(12).fill('sent'));
    expect(smtp.capacity()).toBe(2);
  });

  it('are not tried during a pause, which is not longer because several messages found the hop away', async () => {
    const server = await rawServer({ greeting: '421 4.3.2 shutting down' });
    let now = 1_000_000;
    const smtp = pool(hopAt(server.port), {}, () => now);
    const send = (count: number) =>
      Promise.all(Array.from({ length: count }, (_, i) => smtp.send(to(`n${i}`), content(), notWithdrawn())));
    // Two at once, as many connections as an unknown hop gets; the others had waited for these. One attempt tells of it.
    expect((await send(12)).filter(Boolean)).toMatchObject([{ outcome: 'deferred' }]);
    expect(smtp.capacity()).toBe(0);
    now += SMTP_DEFAULTS.pause.first - 1;
    expect(await send(1)).toEqual([undefined]);
    now += 1;
    expect(smtp.capacity()).toBe(1);
    expect(await send(1)).toMatchObject([{ outcome: 'deferred' }]);
  });

  it('report room once the first is open', async () => {
    const server = await answeringServer();
    const smtp = pool(hopAt(server.port));
    const room = jest.fn();
    smtp.onRoom(room);
    await smtp.send(to('ada'), content(), notWithdrawn());
    expect(room).toHaveBeenCalledTimes(1);
  });
});

describe('withdrawal', () => {
  it.each<[string, Script]>([
    ['at the greeting', { greeting: 'hang' }],
    ['in the envelope', { mail: 'hang' }],
    ['at DATA', { data: 'hang' }],
  ])('before the content counts no attempt (%s)', async (_, script) => {
    const server = await rawServer(script);
    const giveUp = new Withdrawal();
    const sending = pool(hopAt(server.port)).send(to('ada'), content(), giveUp);
    setTimeout(() => giveUp.withdraw(), 30);
    expect(await sending).toBeUndefined();
  });

  it('is too late once the mail was handed over: the reply is awaited', async () => {
    const giveUp = new Withdrawal();
    const server = await answeringServer({
      onData: (stream, _session, done) => {
        stream.resume();
        stream.on('end', () => {
          giveUp.withdraw();
          setTimeout(done, 30);
        });
      },
    });
    const sending = pool(hopAt(server.port)).send(to('ada'), content(), giveUp);
    expect(await sending).toMatchObject({ outcome: 'sent' });
  });

  it('by closing the pool makes a handed-over mail unknown', async () => {
    const server = await rawServer({ dot: 'hang' });
    const smtp = pool(hopAt(server.port));
    const sending = smtp.send(to('ada'), content(), notWithdrawn());
    while (server.contents.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    smtp.close();
    expect(await sending).toMatchObject({ outcome: 'unknown' });
  });
});
