import { Problem } from '@lettermill/problems';
import type { AccountRequest } from '@lettermill/runtime';
import type { FastifyReply } from 'fastify';
import type { Forward } from '../owners/forward';
import { MessageOrders } from './message.orders';

const answer = (status: number, content: object = {}) => ({ status, body: Buffer.from(JSON.stringify(content)) });

/** What a retry is told of a message that dispatch does not know, or has forgotten. */
async function refusal(view: { state: string; attempts?: object[]; reason?: object }): Promise<Problem> {
  const seen = { attempts: [], reason: null, ...view };
  const ask = (owner: string) => Promise.resolve(owner === 'tracker' ? answer(200, seen) : answer(404));
  const orders = new MessageOrders({ ask } as unknown as Forward);
  const told = await orders.retry({} as AccountRequest, {} as FastifyReply, 'M').catch((error: unknown) => error);
  if (!(told instanceof Problem)) throw new Error('it was not refused');
  return told;
}

describe('a retry of a message of which dispatch has nothing', () => {
  const attempts = [{ number: 1, outcome: 'bounced' }];

  it.each(['bounced', 'failed'])('is told that the mail is gone if it %s after an attempt', async (state) => {
    const { code, message } = await refusal({ state, attempts });
    expect(code).toBe('message_content_gone');
    expect(message).toContain(`state is ${state}`);
  });

  it('is told that the mail is gone if it expired', async () => {
    const reason = { code: 'expired', detail: 'It was not sent in time.' };
    expect(await refusal({ state: 'failed', reason })).toMatchObject({ code: 'message_content_gone' });
  });

  it.each([
    ['was sent', { state: 'sent', attempts }],
    ['was never tried', { state: 'failed', reason: { code: 'render_error', detail: 'No such filter.' } }],
    ['was cancelled', { state: 'cancelled', attempts }],
  ])('is told that it cannot be retried if it %s', async (_, view) => {
    expect(await refusal(view)).toMatchObject({ code: 'message_not_retryable' });
  });
});
