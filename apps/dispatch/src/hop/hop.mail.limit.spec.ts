import { rawServer } from '../testing/test.servers';
import { until } from '../testing/dispatch.service';
import { content, hopAt, notWithdrawn, pool, to } from '../testing/pooled';
import type { Script } from '../testing/raw.server';
import { connectionEnded, mostMails, NO_MAIL_LIMIT } from './hop.mail.limit';

const CLOSED = 'cut';

/** A connection that takes `most` mails, and says `answer` to each MAIL after them. */
function takes(most: number, answer: string): Script {
  let mails = 0;
  return { mail: () => ((mails += 1) > most ? answer : undefined) };
}

describe('a hop that takes a number of mails on each connection', () => {
  it.each(['421 4.7.0 too many messages on this connection', '452 4.5.3 too many messages in this session', CLOSED])(
    'gets every mail at the first attempt, over as many connections as it bears (%s)',
    async (answer) => {
      const server = await rawServer(() => takes(1, answer));
      const smtp = pool(hopAt(server.port), { maxConnections: 5 });
      const send = () => smtp.send(to('n'), content(), notWithdrawn());
      const ends = [];
      for (let round = 0; round < 6; round += 1) ends.push(...(await Promise.all(Array.from({ length: 10 }, send))));
      expect(ends.map((end) => end?.outcome)).toEqual(Array(60).fill('sent'));
      expect(smtp.state().window).toBe(5);
    },
  );

  it('is asked for no more than it took on two connections', async () => {
    const server = await rawServer(() => takes(3, '452 too many messages'));
    const smtp = pool(hopAt(server.port));
    const refusals = () =>
      server.commands.filter((command) => command.startsWith('MAIL')).length - server.contents.length;
    for (let mail = 0; mail < 30; mail += 1)
      expect(await smtp.send(to('n'), content(), notWithdrawn())).toMatchObject({ outcome: 'sent' });
    expect(refusals()).toBe(2);
  });

  it('may also hang up at its last answer', async () => {
    const server = await rawServer(() => ({ hangUpAfter: 2 }));
    const smtp = pool(hopAt(server.port));
    for (let mail = 0; mail < 10; mail += 1) {
      expect(await smtp.send(to('n'), content(), notWithdrawn())).toMatchObject({ outcome: 'sent' });
      if (mail === 1 || mail === 3) await until('it hung up', () => smtp.state().open === 0);
    }
    // It need not hang up any more.
    await until('three said goodbye', () => server.commands.filter((command) => command === 'QUIT').length === 3);
  });
});

describe('a hop that takes no mails for now', () => {
  it('is asked over a new connection once in half a minute', async () => {
    let busy = false;
    const server = await rawServer({ mail: () => (busy ? '451 4.3.2 busy' : undefined) });
    const smtp = pool(hopAt(server.port));
    const send = () => smtp.send(to('n'), content(), notWithdrawn());
    for (let again = 0; again < 3; again += 1) {
      busy = false;
      expect(await send()).toMatchObject({ outcome: 'sent' });
      busy = true;
      expect(await send()).toMatchObject({ outcome: 'deferred', reply: { code: 451 } });
    }
    expect(server.commands.filter((command) => command.startsWith('EHLO'))).toHaveLength(2);
    expect(server.commands.filter((command) => command.startsWith('MAIL'))).toHaveLength(7);
  });
});

describe('the number of mails on a connection', () => {
  const after = (...ended: [mails: number, restedMs: number][]) =>
    ended.reduce((limit, [mails, rested]) => connectionEnded(limit, mails, rested, 1_000), NO_MAIL_LIMIT);

  it('is known when two connections in succession ended after as many', () => {
    expect(mostMails(after(), 1_000)).toBe(Infinity);
    expect(mostMails(after([7, 0]), 1_000)).toBe(Infinity);
    expect(mostMails(after([7, 0], [8, 0], [7, 0]), 1_000)).toBe(Infinity);
    expect(mostMails(after([8, 0], [7, 0], [7, 500]), 1_000)).toBe(7);
    expect(mostMails(after([7, 0], [7, 0], [3, 0]), 1_000)).toBe(7);
  });

  it('does not follow from connections that were idle or carried nothing', () => {
    expect(mostMails(after([7, 501], [7, 501]), 1_000)).toBe(Infinity);
    expect(mostMails(after([0, 0], [0, 0]), 1_000)).toBe(Infinity);
  });

  it('is forgotten after ten minutes, and when the clock is set back', () => {
    const limit = after([7, 0], [7, 0]);
    expect([600_999, 601_000, 999].map((now) => mostMails(limit, now))).toEqual([7, Infinity, Infinity]);
  });
});
