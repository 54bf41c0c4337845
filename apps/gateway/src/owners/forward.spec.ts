import { causeOfUnavailable } from '@lettermill/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Forward } from './forward';

describe('a forwarded response', () => {
  const handedBack = (status: number, code: string) => {
    const request = { url: '/v2/messages/m?x=1' } as FastifyRequest;
    const sent: unknown[] = [];
    const reply = { request, code: () => reply, headers: () => reply, send: (body: Buffer) => sent.push(body) };
    const problem = {
      type: `https://lettermill.dev/errors#${code}`,
      status,
      detail: 'Ask later.',
      instance: '/v2/other',
    };
    const headers = { 'content-type': 'application/problem+json; charset=utf-8' };
    const body = Buffer.from(JSON.stringify(problem));
    new Forward(undefined as never).answer(
      { owner: 'tracker', status, headers, body },
      reply as unknown as FastifyReply,
    );
    return { cause: causeOfUnavailable(request), told: JSON.parse(String(sent[0])) as object };
  };

  it('names the call that was made as its instance, and gives the log the cause of a 503', () => {
    const { cause, told } = handedBack(503, 'not_known_yet');
    expect(told).toMatchObject({ instance: '/v2/messages/m', detail: 'Ask later.' });
    expect(cause).toBe('tracker: not_known_yet: Ask later.');
    expect(handedBack(404, 'not_found').cause).toBeUndefined();
  });
});
