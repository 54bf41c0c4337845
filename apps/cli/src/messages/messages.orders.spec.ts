import { CommandFault } from '../command.fault';
import type { Gateway } from '../gateway/gateway';
import { giveOrder, orderText } from './messages.orders';
import { foreignText } from '../gateway/refusal';

describe('an order over many messages', () => {
  const ids = Array.from({ length: 30 }, (_, i) => `m${i}`);
  const answering = (call: (id: string) => { status: number; body: object }) => {
    const gateway = {
      call: (_method: string, path: string) =>
        Promise.resolve().then(() => ({ url: 'http://gateway', ...call(path.split('/')[3]!) })),
    };
    return gateway as unknown as Gateway;
  };

  const refusals = (...refused: string[]) =>
    refused.map((id) => `${id}: message_not_retryable. It was \ufffd[31msent.`);

  it('is given once for each message, and reports which were refused', async () => {
    const called: string[] = [];
    const gateway = answering((id) => {
      called.push(id);
      const body = { code: 'message_not_retryable', detail: 'It was \u001b[31msent.', fix: 'Send a new one.' };
      const refused = { status: 409, body };
      return ['m7', 'm8'].includes(id) ? refused : { status: 202, body: { message_id: id } };
    });
    const outcome = await giveOrder(gateway, 'retry', ids);
    expect(called.sort()).toEqual([...ids].sort());
    expect(outcome.done).toHaveLength(28);
    const text = orderText('retry', outcome);
    expect(text).toBe(
      ['28 due again', ...refusals('m7', 'm8'), 'message_not_retryable: Send a new one.', ''].join('\n'),
    );
  });

  it('lets no control characters of an error code reach the terminal, and accepts a missing code', async () => {
    const gateway = answering((id) => ({ status: 404, body: id === 'm0' ? { code: '\u001b[31m' } : {} }));
    const outcome = await giveOrder(gateway, 'cancel', ids.slice(0, 2));
    const told = foreignText({ url: 'http://gateway', status: 404 });
    expect(orderText('cancel', outcome)).toBe(`0 cancelled\nm0: \ufffd[31m. ${told}\nm1: 404. ${told}\n`);
  });

  it.each([{}, { message_id: 'm9' }, { status: 'ok' }])(
    'does not count the answer of another program: %j',
    async (body) => {
      const outcome = await giveOrder(
        answering(() => ({ status: 200, body })),
        'cancel',
        ['m0'],
      );
      const told = `m0: 200. ${foreignText({ url: 'http://gateway', status: 200 })}`;
      expect(orderText('cancel', outcome)).toBe(`0 cancelled\n${told}\n`);
    },
  );

  it('reports what was done when it breaks off, and begins nothing more', async () => {
    let called = 0;
    const unreachable = new CommandFault('away', 1);
    const gateway = answering((id) => {
      called += 1;
      if (called > 12) throw unreachable;
      return { status: 200, body: { message_id: id } };
    });
    const outcome = await giveOrder(gateway, 'cancel', ids);
    expect(outcome).toMatchObject({ failure: unreachable, refused: [] });
    expect(outcome.done).toHaveLength(12);
    expect(called).toBeLessThanOrEqual(12 + 8);
  });
});
