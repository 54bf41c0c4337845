import { installedWithSink } from '../installations/installed';
import { waitFor, type Message } from '../installations/lettermill';

interface Attempt {
  number: number;
  outcome: string;
  recipients?: { address: string; reply: { code: number } | null }[];
  reason: { code: string } | null;
  next_attempt_at: string | null;
  copies?: { waiting: string[]; given_up: { address: string; code: string; detail: string }[] };
}

describe('copies that the next hop defers', () => {
  const { sink, lettermill } = installedWithSink({ RETRY_DELAYS: '1,1,1' });
  beforeAll(async () => {
    await lettermill.launch('order');
    await lettermill.launch('careful', { on_uncertain: 'hold' });
  });

  const send = async (to: string, copies: { cc?: string[]; bcc?: string[] }, campaign = 'order') => {
    const { status, body } = await lettermill.send({ campaign, to, message: copies });
    expect(status).toBe(202);
    return body.messages[0]!.message_id;
  };
  const attemptsOf = (message: Message) => message.attempts as unknown as Attempt[];
  /** The message, once it shows so many attempts and no further one is due. */
  const waitForAttempts = (id: string, attempts: number) =>
    waitFor(async () => {
      const { body } = await lettermill.message(id);
      return body.attempts?.length === attempts && body.next_attempt_at === null ? body : undefined;
    }, `${attempts} attempts of ${id}`);
  const mailCounts = (...addresses: string[]) => addresses.map((address) => sink.mailsTo(address).length);

  it('are retried alone: everybody gets the same mail once', async () => {
    const [to, cc, bcc] = ['ada-1@example.com', 'later2-cc1@example.com', 'bcc-1@example.com'];
    const id = await send(to, { cc: [cc], bcc: [bcc] });
    const first = await lettermill.until(id, 'sent');
    expect(attemptsOf(first)[0]).toMatchObject({
      outcome: 'sent',
      copies: { waiting: [cc], given_up: [] },
      next_attempt_at: expect.any(String),
      recipients: [
        { address: to, reply: { code: 250 } },
        { address: cc, reply: { code: 451 } },
        { address: bcc, reply: { code: 250 } },
      ],
    });
    const last = await waitForAttempts(id, 3);
    expect(last).toMatchObject({ state: 'sent', reason: null });
    expect(attemptsOf(last).map(({ number, outcome }) => [number, outcome])).toEqual([
      [1, 'sent'],
      [2, 'deferred'],
      [3, 'sent'],
    ]);
    expect(attemptsOf(last)[2]).toMatchObject({
      recipients: [{ address: cc, reply: { code: 250 } }],
      copies: { waiting: [], given_up: [] },
    });
    expect(last.timeline.map(({ type }) => type).filter((type) => type !== 'sending')).toEqual([
      'accepted',
      'contact_resolved',
      'queued',
      'sent',
      'copies',
      'copies',
    ]);
    expect(mailCounts(to, cc, bcc)).toEqual([1, 1, 1]);
    expect(sink.mailsTo(cc)[0]!.to).toEqual([cc]);
    expect(sink.mailsTo(cc)[0]!.raw.equals(sink.mailsTo(to)[0]!.raw)).toBe(true);
    expect(sink.mailsTo(cc)[0]!.raw.toString()).not.toContain(bcc);
  });

  it('are given up, with a reason, when they are refused later or attempts are used up', async () => {
    const [to, turns, full] = ['ada-2@example.com', 'turns-2@example.com', 'full-2@example.com'];
    const last = await waitForAttempts(await send(to, { cc: [turns], bcc: [full] }), 4);
    expect(last.state).toBe('sent');
    const given = attemptsOf(last).flatMap(({ number, copies }) =>
      copies!.given_up.map(({ address, code }) => [number, address, code]),
    );
    expect(given).toEqual([
      [2, turns, 'mailbox_unknown'],
      [4, full, 'attempts_used_up'],
    ]);
    expect(mailCounts(to, turns, full)).toEqual([1, 0, 0]);
  });

  it('are retried after the connection closes', async () => {
    const closes = 'closes-3@example.com';
    const id = await send('ada-3@example.com', { cc: [closes] });
    await sink.firstMailTo(closes);
    const last = await waitFor(async () => {
      const { body } = await lettermill.message(id);
      return body.attempts.length > 2 && body.next_attempt_at === null ? body : undefined;
    }, 'the last attempt');
    // An attempt on a reused connection is repeated on a new one, so either three or two attempts see the connection closed.
    const [first, ...more] = attemptsOf(last).map(({ outcome }) => outcome);
    expect([first, more.at(-1), new Set(more.slice(0, -1))]).toEqual(['sent', 'sent', new Set(['deferred'])]);
    expect(last.state).toBe('sent');
    expect(mailCounts('ada-3@example.com', closes)).toEqual([1, 1]);
  });

  it('are retried with the same bytes after an attempt of unknown outcome', async () => {
    const greydot = 'greydot-4@example.com';
    const last = await waitForAttempts(await send('ada-4@example.com', { cc: [greydot] }), 3);
    expect(attemptsOf(last).map(({ outcome }) => outcome)).toEqual(['sent', 'unknown', 'sent']);
    expect(last.state).toBe('sent');
    expect(mailCounts('ada-4@example.com', greydot)).toEqual([1, 2]);
    const [first, second] = sink.mailsTo(greydot);
    expect(second!.raw.equals(first!.raw)).toBe(true);
  });

  it('are not retried after an unknown outcome if the campaign holds uncertain mails', async () => {
    const greydot = 'greydot-5@example.com';
    const last = await waitForAttempts(await send('ada-5@example.com', { bcc: [greydot] }, 'careful'), 2);
    expect(last).toMatchObject({ state: 'sent', attempts: [{ outcome: 'sent' }, { outcome: 'unknown' }] });
    expect(attemptsOf(last)[1]!.copies).toMatchObject({
      waiting: [],
      given_up: [{ address: greydot, code: 'uncertain' }],
    });
    expect(mailCounts('ada-5@example.com', greydot)).toEqual([1, 1]);
  });

  it('are retried even if the main recipient was refused permanently', async () => {
    const [to, cc] = ['refused-6@example.com', 'later2-6@example.com'];
    const last = await waitForAttempts(await send(to, { cc: [cc], bcc: ['bcc-6@example.com'] }), 3);
    expect(last).toMatchObject({ state: 'bounced', reason: { code: 'mailbox_unknown' } });
    expect(mailCounts(to, cc, 'bcc-6@example.com')).toEqual([0, 1, 1]);
  });

  it('wait if the main recipient is deferred, and nobody gets the mail twice', async () => {
    const [to, cc] = ['later2-7@example.com', 'cc-7@example.com'];
    const last = await waitForAttempts(await send(to, { cc: [cc] }), 3);
    expect(last.state).toBe('sent');
    expect(attemptsOf(last).map(({ outcome }) => outcome)).toEqual(['deferred', 'deferred', 'sent']);
    expect(mailCounts(to, cc)).toEqual([1, 1]);
  });

  it('can be neither cancelled nor retried by a call: the message was sent', async () => {
    const id = await send('ada-8@example.com', { cc: ['later2-8@example.com'] });
    await lettermill.until(id, 'sent');
    expect(await lettermill.call('POST', `/v2/messages/${id}/cancel`)).toMatchObject({
      status: 409,
      body: { code: 'message_not_cancellable' },
    });
    expect(await lettermill.call('POST', `/v2/messages/${id}/retry`)).toMatchObject({
      status: 409,
      body: { code: 'message_not_retryable' },
    });
    expect((await waitForAttempts(id, 3)).state).toBe('sent');
    expect(mailCounts('ada-8@example.com', 'later2-8@example.com')).toEqual([1, 1]);
  });
});
