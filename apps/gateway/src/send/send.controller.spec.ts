import type { Accept } from './accept';
import { SendController } from './send.controller';

describe('the send call', () => {
  /** The log lines of a call that is answered with the id of this request. */
  const loggedFor = async (requestId: string) => {
    const lines: unknown[] = [];
    const accepted = { ack: '{}', requestId, replayed: false };
    const accept = { accept: () => Promise.resolve(accepted) } as unknown as Accept;
    const logger = { info: (...line: unknown[]) => lines.push(line) };
    const controller = new SendController(accept, undefined as never, undefined as never, logger as never);
    const request = {
      id: 'own',
      keyId: 'K',
      accountId: 'a',
      headers: {},
      query: {},
      rawBody: Buffer.from('{}'),
      body: {},
    };
    const reply = { code: () => reply, header: () => reply, send: () => reply };
    await controller.send(request as never, reply as never);
    return lines;
  };

  it('logs which earlier request it was answered for, by whose id its messages are found', async () => {
    expect(await loggedFor('own')).toEqual([]);
    expect(await loggedFor('earlier')).toEqual([
      [{ request_id: 'own', key_id: 'K', accepted_request_id: 'earlier' }, expect.any(String)],
    ]);
  });
});
