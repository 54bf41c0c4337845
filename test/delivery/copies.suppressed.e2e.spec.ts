import { dsn } from '../../apps/dispatch/src/testing/bounce.parts';
import { installedWithSink } from '../installations/installed';
import { API_KEY, waitFor, type Message } from '../installations/lettermill';

const PUBLIC_URL = 'https://mail.shop.example';

describe('copies to suppressed addresses', () => {
  const { sink, lettermill } = installedWithSink({
    PUBLIC_URL,
    RETURN_PATH: 'bounces.shop.example',
    RETRY_DELAYS: '600,600,600',
  });
  beforeAll(() => lettermill.launch('order'));

  const send = async (to: unknown, more: { campaign?: string; message?: object } = {}) => {
    const { status, body } = await lettermill.send({ campaign: 'order', to, ...more });
    expect(status).toBe(202);
    return body.messages[0]!.message_id;
  };
  const getSuppression = (address: string) => lettermill.call('GET', `/v2/suppressions/${address}`);
  /** Suppresses an address by a report of a later server, because our own sink accepts its mails. */
  const suppress = async (address: string) => {
    await send(address);
    const report = dsn([`Final-Recipient: rfc822; ${address}`, 'Action: failed', 'Status: 5.1.1']);
    const told = await fetch(`${lettermill.url}/v2/inbound/bounces`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'message/rfc822' },
      body: report.replaceAll('bounce+token@mail.example.com', (await sink.firstMailTo(address)).from),
    });
    expect(told.status).toBe(202);
    await waitFor(async () => (await getSuppression(address)).status === 200 || undefined, `suppression of ${address}`);
  };
  const liftSuppression = async (address: string) => {
    expect((await lettermill.call('DELETE', `/v2/suppressions/${address}`)).status).toBe(204);
  };
  const suppressedCopies = ({ timeline }: Message) =>
    (timeline.find(({ type }) => type === 'queued') as { suppressed_copies?: object[] }).suppressed_copies;
  const mailCounts = (...addresses: string[]) => addresses.map((address) => sink.mailsTo(address).length);

  it('are left out and reported, at every level; everybody else gets the mail', async () => {
    const gone = 'gone-1@example.com';
    await suppress(gone);
    await lettermill.launch('copied', { cc: [{ email: 'Gone-1@Example.com', name: 'Gone' }, 'archive-1@example.com'] });
    const messages = [
      { to: 'campaign-1@example.com', copy: 'archive-1@example.com', more: { campaign: 'copied' } },
      { to: 'request-1@example.com', copy: 'cc-1@example.com', more: { message: { cc: ['cc-1@example.com', gone] } } },
    ].map(async ({ to, copy, more }) => ({ to, copy, id: await send(to, more) }));
    const recipient = async (to: string, copy: string) => ({
      to,
      copy,
      id: await send({ contact_key: { email: to }, message: { bcc: [gone, copy] } }, { campaign: 'order' }),
    });
    for (const { to, copy, id } of await Promise.all([
      ...messages,
      recipient('own-1@example.com', 'bcc-1@example.com'),
    ])) {
      const message = await lettermill.until(id, 'sent');
      const mail = await sink.firstMailTo(to);
      expect(mail.to).toEqual([to, copy]);
      expect(mail.raw.toString().toLowerCase()).not.toContain(gone);
      const detail = expect.stringMatching(/^The mailbox refused message [A-Za-z0-9]{18} permanently at 2/);
      expect(suppressedCopies(message)).toEqual([{ address: gone, code: 'suppressed', detail }]);
      expect(message).toMatchObject({ reason: null, next_attempt_at: null, attempts: [{ outcome: 'sent' }] });
    }
    expect(mailCounts(gone)).toEqual([1]);
  });

  it('are not reported if the request replaces the copies of the campaign', async () => {
    await lettermill.launch('replaced', { cc: ['gone-1@example.com'], bcc: ['gone-1@example.com'] });
    const to = 'ada-2@example.com';
    const message = await lettermill.until(
      await send(to, { campaign: 'replaced', message: { cc: ['cc-2@example.com'], bcc: [] } }),
      'sent',
    );
    expect(suppressedCopies(message)).toBeUndefined();
    expect((await sink.firstMailTo(to)).to).toEqual([to, 'cc-2@example.com']);
  });

  it('get nothing by a retry, even once the suppression is lifted, but get the next message', async () => {
    const [to, cc, gone] = ['later2-3@example.com', 'cc-3@example.com', 'gone-3@example.com'];
    await suppress(gone);
    const more = { message: { cc: [cc, gone] } };
    const id = await send(to, more);
    const waitForAttempt = (times: number, state: string) =>
      waitFor(async () => {
        const message = await lettermill.until(id, state);
        return message.attempts.length === times ? message : undefined;
      }, `attempt ${times}`);
    await waitForAttempt(1, 'deferred');
    const retry = async () => expect((await lettermill.call('POST', `/v2/messages/${id}/retry`)).status).toBe(202);
    await retry();
    await waitForAttempt(2, 'deferred');
    await liftSuppression(gone);
    await retry();
    expect(suppressedCopies(await waitForAttempt(3, 'sent'))).toMatchObject([{ address: gone }]);
    expect(mailCounts(to, cc, gone)).toEqual([1, 1, 1]);

    const next = await lettermill.until(await send(to, more), 'sent');
    expect(suppressedCopies(next)).toBeUndefined();
    expect(mailCounts(to, cc, gone)).toEqual([2, 2, 2]);
  });

  it('get nothing by a retry if they were suppressed just before it, and it reports them', async () => {
    const [to, cc, late] = ['later2-5@example.com', 'cc-5@example.com', 'Late-5@Example.com'];
    const id = await send(to, { message: { cc: [cc], bcc: [late] } });
    const waitForAttempt = (times: number, state: string) =>
      waitFor(async () => {
        const message = await lettermill.until(id, state);
        return message.attempts.length === times ? message : undefined;
      }, `attempt ${times}`);
    const retry = async () => expect((await lettermill.call('POST', `/v2/messages/${id}/retry`)).status).toBe(202);
    await waitForAttempt(1, 'deferred');
    expect((await lettermill.call('PUT', `/v2/suppressions/${late}`)).status).toBe(201);
    await retry();
    await waitForAttempt(2, 'deferred');
    await liftSuppression(late);
    await retry();
    const { timeline } = await waitForAttempt(3, 'sent');
    const detail = expect.stringMatching(/^A call suppressed the address at 2.*: manual\.$/);
    expect(timeline.filter(({ type }) => type === 'retried')).toMatchObject([
      { attempt: 2, suppressed_copies: [{ address: late, code: 'suppressed', detail }] },
      { attempt: 3 },
    ]);
    expect(timeline.filter((entry) => 'suppressed_copies' in entry)).toHaveLength(1);
    expect(mailCounts(to, cc, late)).toEqual([1, 1, 0]);
  });

  it('are left out only of mails with unsubscribe links if they have unsubscribed', async () => {
    const left = 'left-4@example.com';
    await lettermill.launch('news', { unsubscribe: 'one_click', cc: [left] });
    await send(left, { campaign: 'news', message: { cc: [] } });
    const link = (await sink.firstMailTo(left)).mail.headers.find(({ key }) => key === 'list-unsubscribe')!.value;
    const path = link.slice(1 + PUBLIC_URL.length, -1);
    expect((await fetch(lettermill.url + path, { method: 'POST' })).status).toBe(200);

    const news = await lettermill.until(await send('ada-4@example.com', { campaign: 'news' }), 'sent');
    expect(suppressedCopies(news)).toMatchObject([{ address: left, code: 'unsubscribed' }]);
    const order = await lettermill.until(await send('ada-4@example.com', { message: { cc: [left] } }), 'sent');
    expect(suppressedCopies(order)).toBeUndefined();
    expect(sink.mailsTo('ada-4@example.com').map(({ to }) => to.length)).toEqual([1, 2]);
    expect(mailCounts(left)).toEqual([2]);

    const later = await send('later2-4@example.com', { message: { cc: [left] } });
    for (const attempts of [1, 2]) {
      await waitFor(
        async () => (await lettermill.until(later, 'deferred')).attempts.length === attempts,
        'its attempt',
      );
      expect((await lettermill.call('POST', `/v2/messages/${later}/retry`)).status).toBe(202);
    }
    await lettermill.until(later, 'sent');
    expect(mailCounts('later2-4@example.com', left)).toEqual([1, 3]);
  });
});
