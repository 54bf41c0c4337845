import { rawServer } from '../testing/test.servers';
import { until } from '../testing/dispatch.service';
import { content, hopAt, notWithdrawn, pool, to } from '../testing/pooled';
import { Withdrawal } from '../smtp/smtp.withdrawal';
import { credentialsFault, unavailableFault } from '../smtp/smtp.fault';
import { hopFaultLogger } from './hop.fault.logger';

describe('log messages about the hop', () => {
  const heard = () => {
    const lines: string[] = [];
    let now = 0;
    const logger = { warn: (text: string) => lines.push(text) };
    const news = hopFaultLogger('mx.example:25', logger, () => now);
    return { lines, news, pass: (ms: number) => (now += ms) };
  };

  it('are written once, with cause and consequence, and once when it is over', () => {
    const { lines, news } = heard();
    news(undefined);
    expect(lines).toEqual([]);
    for (let i = 0; i < 3; i += 1) news(unavailableFault('ECONNREFUSED'));
    expect(lines).toEqual([
      'no mail leaves through the next hop mx.example:25: next_hop_unavailable. The next hop cannot be reached (ECONNREFUSED). It is tried until it answers; waiting mail is sent then.',
    ]);
    news(undefined);
    news(undefined);
    expect(lines.slice(1)).toEqual(['the next hop mx.example:25 can be used again']);
  });

  it('are repeated if the cause changes, or after a while', () => {
    const { lines, news, pass } = heard();
    news(unavailableFault('ECONNREFUSED'));
    news(credentialsFault('535 5.7.8 no'));
    expect(lines).toHaveLength(2);
    pass(599_999);
    news(credentialsFault('535 5.7.8 no'));
    expect(lines).toHaveLength(2);
    pass(1);
    news(credentialsFault('535 5.7.8 no'));
    expect(lines).toHaveLength(3);
    pass(-3_600_000);
    news(credentialsFault('535 5.7.8 no'));
    expect(lines).toHaveLength(4);
  });

  it('are not repeated sooner if two causes take turns', () => {
    const { lines, news, pass } = heard();
    for (let i = 0; i < 20; i += 1) {
      news(unavailableFault(i % 2 ? 'ECONNREFUSED' : 'ECONNRESET'));
      pass(30_000);
    }
    expect(lines).toHaveLength(2);
    news(unavailableFault('ECONNRESET'));
    expect(lines).toHaveLength(3);
  });

  it('are written once a minute if the hop comes and goes, and say at last what is so', () => {
    const { lines, news, pass } = heard();
    const flap = () => {
      news(unavailableFault('ECONNRESET'));
      pass(500);
      news(undefined);
      pass(500);
    };
    for (let i = 0; i < 60; i += 1) flap();
    expect(lines).toEqual([expect.stringContaining('no mail leaves'), expect.stringContaining('can be used again')]);
    flap();
    expect(lines).toHaveLength(4);
    news(credentialsFault('535 5.7.8 no'));
    expect(lines.slice(4)).toEqual([expect.stringContaining('authentication_failed')]);
    news(undefined);
    news(unavailableFault('ECONNRESET'));
    expect(lines).toHaveLength(6);
    pass(60_000);
    news(unavailableFault('ECONNRESET'));
    expect(lines.slice(6)).toEqual([expect.stringContaining('ECONNRESET')]);
  });

  it('do not quote the hop', () => {
    const { lines, news } = heard();
    news(credentialsFault('535 5.7.8 ada@example.com is not let in'));
    expect(lines.join()).toContain('It answered 535.');
    expect(lines.join()).not.toContain('ada');
  });

  it('are triggered by the pool when the hop refuses a connection, and when it accepts one', async () => {
    let greeting: string | undefined = '554 not now';
    const server = await rawServer({
      get greeting() {
        return greeting;
      },
    });
    const smtp = pool(hopAt(server.port));
    const causes: (string | undefined)[] = [];
    smtp.onHopChange((fault) => causes.push(fault?.reason));
    await smtp.send(to('ada'), content(), notWithdrawn());
    greeting = undefined;
    await smtp.send(to('ada'), content(), notWithdrawn());
    expect(causes).toEqual(['next_hop_unavailable', undefined]);
  });

  it('are triggered by the pool when the greeting hangs, long before its timeout', async () => {
    const server = await rawServer((connection) => (connection === 1 ? { greeting: 'hang' } : {}));
    const smtp = pool(hopAt(server.port), { silence: 20 });
    const told: (string | undefined)[] = [];
    smtp.onHopChange((fault) => told.push(fault?.message));
    const lost = new Withdrawal();
    const hanging = smtp.send(to('ada'), content(), lost);
    await until('it is told', () => told.length > 0);
    expect(smtp.state().up).toBe(false);
    expect(smtp.capacity()).toBe(1);
    lost.withdraw();
    expect(await hanging).toBeUndefined();
    await smtp.send(to('ada'), content(), notWithdrawn());
    expect(told).toEqual([expect.stringContaining('has not let us in'), undefined]);
    expect(smtp.state().up).toBe(true);
  });
});
