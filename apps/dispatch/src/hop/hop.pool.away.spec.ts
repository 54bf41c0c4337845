import { rawServer } from '../testing/test.servers';
import { until } from '../testing/dispatch.service';
import { content, hopAt, notWithdrawn, pool, to } from '../testing/pooled';
import { SMTP_DEFAULTS } from '../smtp/smtp.options';

describe('a hop that goes away', () => {
  it('leaves no connection behind, not even an idle one', async () => {
    const server = await rawServer({});
    const smtp = pool(hopAt(server.port));
    await smtp.send(to('ada'), content(), notWithdrawn());
    expect(smtp.state()).toMatchObject({ open: 1, idle: 1 });
    await server.close();
    await until('it is noticed', () => smtp.state().open === 0);
    expect(smtp.state().idle).toBe(0);
  });

  it('without a word costs a mail no attempt if its connection was used before: it takes another one', async () => {
    const server = await rawServer((connection) => (connection === 1 ? { laterMail: 'hang' } : {}));
    const smtp = pool(hopAt(server.port), { timeouts: { ...SMTP_DEFAULTS.timeouts, used: 20 } });
    for (const name of ['ada', 'bob'])
      expect(await smtp.send(to(name), content(), notWithdrawn())).toMatchObject({ outcome: 'sent' });
    expect(server.commands.filter((command) => command.startsWith('EHLO'))).toHaveLength(2);
    expect(server.contents).toHaveLength(2);
  });

  it.each([
    ['says nothing about how much it will bear', 'cut', 2],
    ['bears half if it says that it is too busy', '421 4.3.2 busy', 3],
  ])('%s, and there is room again after a pause', async (_, greeting, window) => {
    let away = false;
    const server = await rawServer(() => (away ? { greeting } : {}));
    const smtp = pool(hopAt(server.port), { maxMessages: 1, pause: { first: 1, longest: 1 } });
    const send = () => smtp.send(to('ada'), content(), notWithdrawn());
    for (let n = 0; n < 4; n += 1) await send();
    expect(smtp.state()).toMatchObject({ open: 0, window: 6, up: true });
    const room = jest.fn();
    smtp.onRoom(room);
    away = true;
    expect(await send()).toMatchObject({ outcome: 'deferred' });
    expect(smtp.state()).toMatchObject({ window, up: false });
    await until('there is room', () => room.mock.calls.length > 0);
    away = false;
    expect(await send()).toMatchObject({ outcome: 'sent' });
    expect(smtp.state().up).toBe(true);
  });
});
