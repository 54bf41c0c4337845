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

describe('a retry of a message whose address is suppressed', () => {
  const address = 'ada@example.com';
  const suppressed = { address, code: 'suppressed', detail: 'A call suppressed the address.' };
  const asked: string[] = [];

  /** `delivery` is what dispatch has of it. */
  async function retried(delivery: object, found: object[] = [suppressed]): Promise<unknown> {
    asked.splice(0);
    const stored = { address, copies: [], can_be_left: false, next_attempt_at: null, ...delivery };
    const ask = (owner: string, _request: object, { method, path }: { method: string; path: string }) => {
      asked.push(`${method} ${path}`);
      if (owner === 'contacts') return Promise.resolve(answer(200, { data: found }));
      if (owner === 'tracker') return Promise.resolve(answer(200, { state: 'sent' }));
      return Promise.resolve(method === 'GET' ? answer(200, stored) : answer(202));
    };
    const orders = new MessageOrders({ ask, answer: () => undefined } as unknown as Forward);
    return orders.retry({} as AccountRequest, {} as FastifyReply, 'M').catch((error: unknown) => error);
  }

  it.each(['queued', 'deferred', 'uncertain'])(
    'is told that it waits (%s), and is sent all the same',
    async (state) => {
      const told = await retried({ state, next_attempt_at: '2026-03-01T09:31:02.000Z' });
      expect(told).toMatchObject({
        code: 'address_suppressed',
        message: `ada@example.com is suppressed, which does not hold back messages accepted before. This one is ${state}, and is sent when it is due: cancel it if it must not be. A call suppressed the address.`,
      });
      expect(asked.filter((call) => call.endsWith('/retry'))).toEqual([]);
    },
  );

  it.each([
    ['uncertain', null],
    ['failed', null],
    // Its copies are tried again, but not the address itself.
    ['bounced', '2026-03-01T09:31:02.000Z'],
  ])('is told only that it is suppressed if nothing would be sent to it (%s, %j)', async (state, next_attempt_at) => {
    expect(await retried({ state, next_attempt_at })).toMatchObject({
      code: 'address_suppressed',
      message: 'ada@example.com is suppressed. A call suppressed the address.',
    });
  });

  it.each(['sending', 'sent', 'cancelled'])('is told of its state if that does not allow it: %s', async (state) => {
    const retry_refused = { code: 'message_not_retryable', detail: `Its state is ${state}.` };
    const { code, message } = (await retried({ state, retry_refused })) as Problem;
    expect([code, message]).toEqual(['message_not_retryable', `Its state is ${state}.`]);
    // Of dispatch, where others are suppressed or nobody: it alone writes the state.
    await retried({ state, retry_refused }, []);
    expect(asked).toContain('POST /v2/messages/M/retry');
  });
});
