import { Problem, unavailable } from '@lettermill/problems';
import type { Config } from '@lettermill/config';
import { unsubscribeToken } from '@lettermill/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OwnerAnswer, OwnerClient } from '../owners/owner.client';
import { UnsubscribeController } from './unsubscribe.controller';

const internalSecret = 's'.repeat(40);
const tokenContent = { accountId: 'default', messageId: 'A'.repeat(18), address: 'ada@example.org' };
const token = unsubscribeToken(internalSecret, tokenContent);
const config = { internalSecret, formerInternalSecret: null } as Config;
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const request = { id: 'r', headers: { traceparent } } as unknown as FastifyRequest;
const BROWSER = 'text/html,*/*;q=0.8';

function newReply() {
  const told = { status: 200, headers: {} as Record<string, string> };
  const reply = {
    code: (status: number) => Object.assign(reply, { _: (told.status = status) }),
    header: (name: string, value: string) => Object.assign(reply, { _: (told.headers[name] = value) }),
    headers: (all: Record<string, string>) => Object.assign(reply, { _: Object.assign(told.headers, all) }),
    type: (value: string) => reply.header('content-type', value),
  };
  return { told, reply: reply as unknown as FastifyReply };
}

describe('UnsubscribeController', () => {
  const answerOf = (status: number): OwnerAnswer => ({ owner: 'contacts', status, headers: {}, body: Buffer.alloc(0) });
  const controllerWith = (call: OwnerClient['call']) => new UnsubscribeController(config, { call } as OwnerClient);
  const unavailableOwner = controllerWith(() => Promise.reject(unavailable('The contacts service does not answer.')));
  const failingOwner = controllerWith(() => Promise.resolve(answerOf(500)));

  it.each([
    ['is unavailable', unavailableOwner],
    ['fails', failingOwner],
  ])('returns browsers a page, and mail programs a problem, while the owner %s', async (_, controller) => {
    const { told, reply } = newReply();
    expect(await controller.unsubscribe(token, BROWSER, request, reply)).toContain('<h1>Please try again</h1>');
    expect(told).toMatchObject({
      status: 503,
      headers: { 'retry-after': expect.any(String), 'x-robots-tag': 'noindex' },
    });
    await expect(controller.unsubscribe(token, undefined, request, reply)).rejects.toThrow(Problem);
  });

  it('passes the request id and trace on to the contacts service', async () => {
    const call = jest.fn(() => Promise.resolve(answerOf(204)));
    expect(await controllerWith(call).unsubscribe(token, BROWSER, request, newReply().reply)).toContain('<h1>');
    expect(call).toHaveBeenCalledWith('contacts', expect.objectContaining({ requestId: 'r', traceparent }));
  });

  it('does not report a defect as a temporary failure', async () => {
    const broken = controllerWith(() => Promise.reject(new TypeError('defect')));
    await expect(broken.unsubscribe(token, BROWSER, request, newReply().reply)).rejects.toThrow(TypeError);
  });
});
