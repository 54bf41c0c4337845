import { dsn } from '../../apps/dispatch/src/testing/bounce.parts';
import { installedWithSink } from '../installations/installed';
import { API_KEY, waitFor, type Message } from '../installations/lettermill';

interface Suppressed {
  address: string;
  reason: string;
  message_id: string;
  at: string;
}

describe('copies that are refused permanently', () => {
  const { sink, lettermill } = installedWithSink({ RETURN_PATH: 'bounces.shop.example', RETRY_DELAYS: '1,600' });
  beforeAll(() => lettermill.launch('order'));

  const send = async (to: string, copies: { cc?: string[]; bcc?: string[] } = {}, campaign = 'order') => {
    const more = Object.keys(copies).length > 0 ? { message: copies } : {};
    const { status, body } = await lettermill.send({ campaign, to, ...more });
    expect(status).toBe(202);
    return body.messages[0]!.message_id;
  };
  const listSuppressions = async () =>
    (await lettermill.call<{ data: Suppressed[] }>('GET', '/v2/suppressions?limit=100')).body.data;
  const waitForSuppression = (address: string) =>
    waitFor(async () => (await listSuppressions()).find((one) => one.address === address), `suppression of ${address}`);
  const suppressedCopies = ({ timeline }: Message) =>
    (timeline.find(({ type }) => type === 'queued') as { suppressed_copies?: object[] }).suppressed_copies;
  /** Reports to the return path of a mail, as a later server does, that the mailbox no longer exists. */
  const reportGone = async (address: string, returnPath: string) => {
    const raw = dsn([`Final-Recipient: rfc822; ${address}`, 'Action: failed', 'Status: 5.1.1']);
    const answer = await fetch(`${lettermill.url}/v2/inbound/bounces`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'message/rfc822' },
      body: raw.replaceAll('bounce+token@mail.example.com', returnPath),
    });
    return { status: answer.status, body: (await answer.json()) as { recorded: boolean } };
  };

  it('are suppressed although the message is sent, and left out of the next mail', async () => {
    const [gone, written] = ['refused-archive1@example.com', 'refused-Archive1@Example.com'];
    await lettermill.launch('archived', { cc: [written, 'archive-1@example.com'] });
    const first = await send('ada-1@example.com', {}, 'archived');
    const sent = await lettermill.until(first, 'sent');
    expect(suppressedCopies(sent)).toBeUndefined();
    const refused = { address: written, code: 'mailbox_unknown' };
    expect(sent.attempts).toMatchObject([{ outcome: 'sent', copies: { given_up: [refused] } }]);
    const ended = (sent.attempts[0] as unknown as { ended_at: string }).ended_at;
    expect(await waitForSuppression(gone)).toMatchObject({ reason: 'mailbox_unknown', message_id: first, at: ended });

    const next = await lettermill.until(await send('bob-1@example.com', {}, 'archived'), 'sent');
    const detail = `The mailbox refused message ${first} permanently at ${ended}.`;
    expect(suppressedCopies(next)).toEqual([{ address: gone, code: 'suppressed', detail }]);
    expect((await sink.firstMailTo('bob-1@example.com')).to).toEqual(['bob-1@example.com', 'archive-1@example.com']);
    expect(sink.rcptCounts.get(written)).toBe(1);
    expect(next.attempts[0]).not.toHaveProperty('copies');
    // A message to this address alone is suppressed for the same reason.
    expect((await lettermill.until(await send(gone), 'suppressed')).reason).toMatchObject({ detail });
  });

  it('are all suppressed, even if the main recipient is refused, or by a later attempt', async () => {
    const [one, two, turns] = ['refused-cc2@example.com', 'refused-bcc2@example.com', 'turns-2@example.com'];
    const id = await send('refused-ada2@example.com', { cc: [one, turns], bcc: [two] });
    await lettermill.until(id, 'bounced');
    for (const address of [one, two, turns, 'refused-ada2@example.com']) {
      expect(await waitForSuppression(address)).toMatchObject({ reason: 'mailbox_unknown', message_id: id });
    }
    expect((await lettermill.message(id)).body.state).toBe('bounced');
  });

  it('are not suppressed if the mailbox is only full', async () => {
    await lettermill.until(await send('ada-3@example.com', { cc: ['full-3@example.com'] }), 'sent');
    // By then, the earlier events have been handled, too.
    await send('ada-3b@example.com', { cc: ['refused-3@example.com'] });
    await waitForSuppression('refused-3@example.com');
    expect((await listSuppressions()).map(({ address }) => address)).not.toContain('full-3@example.com');
  });

  it('by a later server are suppressed, and the message stays sent', async () => {
    const [to, cc] = ['ada-4@example.com', 'cc-4@example.com'];
    const id = await send(to, { cc: [cc, 'later2-4@example.com'] });
    await lettermill.until(id, 'sent');
    const { from } = await sink.firstMailTo(to);
    // The message is kept, because a copy still waits.
    expect(await reportGone('CC-4@example.com', from)).toMatchObject({ status: 202, body: { recorded: true } });
    expect(await waitForSuppression(cc)).toMatchObject({ reason: 'mailbox_unknown', message_id: id });
    const told = await waitFor(async () => {
      const { body } = await lettermill.message(id);
      return body.timeline.some(({ type }) => type === 'bounced') ? body : undefined;
    }, 'the timeline');
    expect(told).toMatchObject({ state: 'sent', reason: null });
    expect(told.timeline.filter(({ type }) => type === 'bounced')).toMatchObject([{ asynchronous: true, address: cc }]);
    expect((await listSuppressions()).map(({ address }) => address)).not.toContain(to);
    expect(suppressedCopies(await lettermill.until(await send(to, { cc: [cc] }), 'sent'))).toMatchObject([
      { address: cc },
    ]);
  });

  it('by a later server are suppressed even if the main recipient was refused', async () => {
    const [to, cc] = ['refused-ada5@example.com', 'cc-5@example.com'];
    const id = await send(to, { cc: [cc] });
    const { reason } = await lettermill.until(id, 'bounced');
    const { from } = await sink.firstMailTo(cc);
    expect(await reportGone(cc, from)).toMatchObject({ status: 202, body: { recorded: true } });
    expect(await waitForSuppression(cc)).toMatchObject({ message_id: id });
    expect((await lettermill.message(id)).body).toMatchObject({ state: 'bounced', reason });
    expect(await reportGone(to, from)).toMatchObject({ status: 200, body: { recorded: false } });
  });
});
