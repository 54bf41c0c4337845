import { holdingServer, rawServer } from '../testing/test.servers';
import { gated } from '../testing/gated.server';
import { queuedFor, until } from '../testing/dispatch.service';
import { dispatchFile, typesOf } from '../testing/dispatched';
import { Pace } from './pace';

describe('while attempts hang, the sender', () => {
  it('continues with a domain while one of its attempts hangs', async () => {
    const server = await rawServer((connection) => (connection === 1 ? { dot: 'hang' } : {}));
    const on = dispatchFile();
    let later = 0;
    const service = await on.start(server.port, { now: () => Date.now() + later });
    await service.take(queuedFor(1, 'example.com'));
    await until('it hangs', () => server.contents.length === 1);
    later = 5_000;
    await service.take(...Array.from({ length: 20 }, (_, n) => queuedFor(n + 2, 'example.com')));
    await until('the others are told', () => on.publishedEvents('MessageSent').length === 20);
    expect(typesOf(on, 1)).not.toContain('MessageSent');
    // A service that stops waits eight seconds for the answer.
    await server.close();
  });

  it('leaves one of the few connections that the hop bears to domains that answer, while others hang', async () => {
    const server = await holdingServer((to) => to.includes('@dead'));
    const hop = await gated(server.port, (_, open) => open < 4);
    const on = dispatchFile();
    let later = 0;
    const service = await on.start(hop.port, { now: () => Date.now() + later });
    // It refuses more twice, the second time after a rest.
    for (let told = 40; told <= 80; told += 40, later += 2_000) {
      await service.take(...Array.from({ length: 40 }, (_, n) => queuedFor(n + told, 'warm.example')));
      await until('they are told', () => on.publishedEvents('MessageSent').length === told);
    }
    expect(hop.refused()).toBeGreaterThan(1);
    await service.take(queuedFor(1, 'dead1.example'), queuedFor(2, 'dead2.example'));
    await until('two are held up', () => server.waiting.length === 2);
    later += 5_000;
    await service.take(...[3, 4].map((n) => queuedFor(n, `dead${n}.example`)), queuedFor(7, 'warm.example'));
    await until('the last is told', () => on.publishedEvents('MessageSent').length === 81);
    expect(typesOf(on, 7)).toContain('MessageSent');
    server.release();
    await until('all are told', () => on.publishedEvents('MessageSent').length === 85);
  });

  it.each([
    ['a turn', false],
    ['a connection', true],
  ])('sends what was claimed and waits for %s when the attempts before it turn out to hang', async (_, quick) => {
    const server = await holdingServer((to) => to.includes('@slow'));
    const pace = [
      jest.spyOn(Pace.prototype, 'isQuick').mockReturnValue(quick),
      jest.spyOn(Pace.prototype, 'claimsAhead').mockReturnValue(1),
    ];
    const on = dispatchFile();
    let later = 0;
    const service = await on.start(server.port, { now: () => Date.now() + later, sending: { connections: 2 } });
    await service.take(queuedFor(1, 'warm.example'));
    await until('the first is told', () => on.publishedEvents('MessageSent').length === 1);
    await service.take(...['slow1.example', 'slow2.example', 'fast.example'].map((to, n) => queuedFor(n + 2, to)));
    await until('two are held up', () => server.waiting.length === 2);
    expect(await service.store.countWaiting(10)).toBe(0);
    later = 5_000;
    await until('the third is told', () => on.publishedEvents('MessageSent').length === 2);
    server.release();
    await until('all are told', () => on.publishedEvents('MessageSent').length === 4);
    pace.forEach((spy) => spy.mockRestore());
  });

  it('sends to other domains while one does not respond, and to that one when it does', async () => {
    const server = await holdingServer((to) => to.endsWith('@dead.example'));
    const on = dispatchFile();
    const service = await on.start(server.port);
    await service.take(...Array.from({ length: 300 }, (_, n) => queuedFor(n, 'dead.example')));
    await service.take(...Array.from({ length: 60 }, (_, n) => queuedFor(1000 + n, `alive${n % 5}.example`)));
    await until('the others are told', () => on.publishedEvents('MessageSent').length === 60);
    expect(server.waiting.length).toBeLessThanOrEqual(2);
    server.release();
    await until('all are told', () => on.publishedEvents('MessageSent').length === 360);
    expect(await service.store.countWaiting(10)).toBe(0);
    expect(await service.store.lanes()).toEqual([]);
  });
});
