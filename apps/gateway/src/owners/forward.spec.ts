import { causeOfUnavailable, codeOfRefusal } from '@lettermill/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Forward } from './forward';

describe('a forwarded call', () => {
  it.each([
    ['POST', 'POST'],
    ['HEAD', 'GET'],
  ])('with %s asks the owner for the same by %s, and answers what it answers', async (method, asked) => {
    const call = jest.fn().mockResolvedValue({ status: 201, headers: { allow: 'x' }, body: Buffer.from('told') });
    const rawBody = Buffer.from('{}');
    const headers = { traceparent: 't', cookie: 'c' };
    const request = { method, url: '/v2/messages?x=1', accountId: 'a', id: 'r', rawBody, headers };
    const answered: unknown[] = [];
    const step = (given: unknown) => (answered.push(given), reply);
    const reply = { request, code: step, headers: step, send: step };
    await new Forward({ call } as never).to('tracker', request as never, reply as never);
    const told = {
      accountId: 'a',
      method: asked,
      path: '/v2/messages?x=1',
      body: rawBody,
      requestId: 'r',
      traceparent: 't',
    };
    expect(call.mock.calls).toEqual([['tracker', told]]);
    expect(answered).toEqual([201, { allow: 'x' }, Buffer.from('told')]);
  });
});

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
    return {
      cause: causeOfUnavailable(request),
      code: codeOfRefusal(request),
      told: JSON.parse(String(sent[0])) as object,
    };
  };

  it('names the call that was made as its instance, and gives the log the cause of a 503', () => {
    const { cause, told } = handedBack(503, 'not_known_yet');
    expect(told).toMatchObject({ instance: '/v2/messages/m', detail: 'Ask later.' });
    expect(cause).toBe('tracker: not_known_yet: Ask later.');
    expect(handedBack(404, 'not_found')).toMatchObject({ cause: undefined, code: 'not_found' });
  });
});
