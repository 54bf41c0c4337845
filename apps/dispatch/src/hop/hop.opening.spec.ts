import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { afterwards, rawServer } from '../testing/test.servers';
import { until } from '../testing/dispatch.service';
import { content, hopAt, notWithdrawn, pool, to } from '../testing/pooled';
import { Withdrawal } from '../smtp/smtp.withdrawal';

describe('connections that are being opened', () => {
  it('hold up no message that could take one that became free', async () => {
    let came = 0;
    const server = await rawServer((connection) => {
      came = connection;
      return connection === 2 ? { greeting: 'hang' } : {};
    });
    const smtp = pool(hopAt(server.port), { maxConnections: 2 });
    const large = smtp.send(to('first'), content('x\r\n'.repeat(1_000_000)), notWithdrawn());
    await until('it stands', () => smtp.state().open === 1);
    const opening = smtp.send(to('ada'), content(), notWithdrawn());
    expect(await large).toMatchObject({ outcome: 'sent' });
    expect(await opening).toMatchObject({ outcome: 'sent' });
    expect(came).toBe(2);
  });

  it('are no longer fresh when the next message takes them: a hop that has gone since costs it no attempt', async () => {
    const server = await rawServer((connection) => (connection === 2 ? { mail: 'cut' } : {}));
    const gates: (() => void)[] = [];
    const gate = createServer((socket) => {
      gates.push(() => void socket.pipe(connect(server.port, '127.0.0.1')).pipe(socket));
      if (gates.length !== 2) gates.at(-1)!();
    }).listen(0, '127.0.0.1');
    afterwards(() => void gate.close());
    await once(gate, 'listening');
    const smtp = pool(hopAt((gate.address() as AddressInfo).port), { maxConnections: 2, maxMessages: 2 });
    const large = smtp.send(to('first'), content('x\r\n'.repeat(1_000_000)), notWithdrawn());
    await until('it stands', () => smtp.state().open === 1);
    await Promise.all([large, smtp.send(to('ada'), content(), notWithdrawn())]);
    gates[1]!();
    await until('the other is open', () => smtp.state().idle === 1);
    expect(await smtp.send(to('bob'), content(), notWithdrawn())).toMatchObject({ outcome: 'sent' });
    expect(gates).toHaveLength(3);
  });

  it('are opened for the next message if the first is withdrawn', async () => {
    let came = 0;
    const server = await rawServer((connection) => {
      came = connection;
      return connection === 1 ? { dot: 'hang' } : connection === 2 ? { greeting: 'hang' } : {};
    });
    const smtp = pool(hopAt(server.port), { maxConnections: 2 });
    void smtp.send(to('held'), content(), notWithdrawn());
    await until('it stands', () => smtp.state().open === 1);
    const lost = new Withdrawal();
    const opening = smtp.send(to('opening'), content(), lost);
    const next = smtp.send(to('next'), content(), notWithdrawn());
    await until('it is being opened', () => came === 2);
    lost.withdraw();
    expect(await opening).toBeUndefined();
    expect(await next).toMatchObject({ outcome: 'sent' });
  });

  it('are given up when the pool is closed', async () => {
    let came = false;
    const server = await rawServer(() => {
      came = true;
      return { greeting: 'hang' };
    });
    const smtp = pool(hopAt(server.port));
    const opening = smtp.send(to('ada'), content(), notWithdrawn());
    await until('it is being opened', () => came);
    smtp.close();
    expect(await opening).toBeUndefined();
  });
});
