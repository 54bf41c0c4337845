import { answeringServer, rawServer } from '../testing/test.servers';
import { gated } from '../testing/gated.server';
import { until } from '../testing/dispatch.service';
import { content, hopAt, notWithdrawn, pool, to } from '../testing/pooled';
import type { SmtpPool } from './hop.pool';

const some = (smtp: SmtpPool, count: number) =>
  Promise.all(Array.from({ length: count }, (_, i) => smtp.send(to(`n${i}`), content(), notWithdrawn())));

describe('a hop that refuses connections', () => {
  it('beyond a number is not asked for another one before those that said goodbye are closed', async () => {
    const hop = await gated((await answeringServer()).port, (_, open) => open < 3);
    const smtp = pool(hopAt(hop.port), { maxMessages: 5 }, () => 1_000);
    for (let round = 0; round < 3; round += 1) await some(smtp, 2);
    await some(smtp, 10);
    const refused = hop.refused();
    const ends = await some(smtp, 100);
    expect(ends.map((end) => end?.outcome)).toEqual(Array(100).fill('sent'));
    expect(hop.refused()).toBe(refused);
    expect(smtp.state().window).toBe(3);
  });

  it('is asked for another one after a rest, even if nothing ends in the meantime', async () => {
    const server = await rawServer(
      (connection) => [{ dot: 'hang' }, { greeting: '421 4.7.0 no' }, {}][connection - 1]!,
    );
    const smtp = pool(hopAt(server.port), { maxConnections: 2 });
    void smtp.send(to('held'), content(), notWithdrawn());
    await until('it is held up', () => server.contents.length === 1);
    expect(await some(smtp, 1)).toMatchObject([{ outcome: 'sent' }]);
  });

  it('here and there is soon used as much as before', async () => {
    let now = 0;
    const hop = await gated((await answeringServer()).port, (connection) => connection <= 10 || connection % 4 > 0);
    const smtp = pool(hopAt(hop.port), { maxMessages: 20 }, () => now);
    await some(smtp, 10);
    const windows = [];
    for (let second = 0; second < 60; second += 1) {
      now += 1_000;
      const ends = await some(smtp, 40);
      expect(ends.map((end) => end?.outcome)).toEqual(Array(40).fill('sent'));
      windows.push(smtp.state().window);
    }
    expect(hop.refused()).toBeGreaterThan(20);
    // It is seen within a second after each refusal.
    const sum = windows.reduce((total, size) => total + size, 0);
    expect(sum / windows.length).toBeGreaterThan(3);
  });
});

describe('a hop that lets us in and ends the connection at the first mail', () => {
  it.each(['421 4.7.0 too many connections', 'cut'])(
    'because it bears no more, gets every mail over the others (%s)',
    async (mail) => {
      const server = await rawServer((connection) => (connection > 2 ? { mail } : {}));
      const smtp = pool(hopAt(server.port));
      await some(smtp, 1);
      const ends = [...(await some(smtp, 2)), ...(await some(smtp, 20))];
      expect(ends.map((end) => end?.outcome)).toEqual(Array(22).fill('sent'));
      expect(smtp.state()).toMatchObject({ open: 2, window: 2 });
    },
  );

  it.each(['421 4.3.2 not now', 'cut'])('each time costs one attempt a pause, and is told once (%s)', async (mail) => {
    let now = 1_000_000;
    let away = true;
    const server = await rawServer({ mail: () => (away ? mail : undefined) });
    const smtp = pool(hopAt(server.port), {}, () => now);
    const told: (string | undefined)[] = [];
    smtp.onHopChange((fault) => told.push(fault?.message));
    for (const pause of [1_000, 2_000, 4_000, 8_000]) {
      expect((await some(smtp, 12)).filter(Boolean)).toMatchObject([{ outcome: 'deferred' }]);
      expect([smtp.capacity(), smtp.state().up]).toEqual([0, false]);
      now += pause;
      expect(smtp.capacity()).toBe(1);
    }
    away = false;
    expect(await some(smtp, 1)).toMatchObject([{ outcome: 'sent' }]);
    expect(smtp.state().up).toBe(true);
    expect(told.at(-1)).toBeUndefined();
    // Before the first mail, and after the last.
    expect(told.filter((message) => message === undefined)).toHaveLength(3);
  });
});

describe('a hop of which some servers never greet', () => {
  it('holds up no mail for long, even if nothing ends in the meantime', async () => {
    let mails = 0;
    const hangs = { dot: () => ((mails += 1) === 2 ? ('hang' as const) : undefined) };
    const server = await rawServer((connection) => [hangs, { greeting: 'hang' as const }, {}][connection - 1]!);
    const smtp = pool(hopAt(server.port), { maxConnections: 2 });
    // It shows that the hop is quick otherwise.
    await some(smtp, 1);
    void smtp.send(to('held'), content(), notWithdrawn());
    await until('it is held up', () => server.contents.length === 2);
    const began = Date.now();
    expect(await some(smtp, 1)).toMatchObject([{ outcome: 'sent' }]);
    expect(Date.now() - began).toBeLessThan(9_000);
  }, 20_000);
});
