import { installedWithSink } from '../installations/installed';
import { Lettermill, waitFor, type Message } from '../installations/lettermill';
import { SmtpSink } from '../installations/smtp.sink';

describe('when the next hop fails', () => {
  const { sink, lettermill } = installedWithSink({ RETRY_DELAYS: '1,1,1' });
  beforeAll(async () => {
    await lettermill.launch('order');
    await lettermill.launch('held', { on_uncertain: 'hold' });
  });

  async function send(to: string, campaign = 'order'): Promise<string> {
    const { body } = await lettermill.send({ campaign, to });
    return body.messages[0]!.message_id;
  }
  const outcomesOf = ({ attempts }: Message) => attempts.map(({ outcome }) => outcome);

  it('bounces at once on 5xx and suppresses the address of an unknown mailbox', async () => {
    const id = await send('refused-1@example.com');
    const message = await lettermill.until(id, 'bounced');
    expect(message).toMatchObject({
      reason: { code: 'mailbox_unknown' },
      attempts: [{ outcome: 'bounced', reply: { code: 550, enhanced: '5.1.1' } }],
    });
    await waitFor(async () => {
      const { body } = await lettermill.call<{ data: { address: string }[] }>('GET', '/v2/suppressions');
      return body.data.some(({ address }) => address === 'refused-1@example.com') || undefined;
    }, 'the suppression');
    const again = await lettermill.until(await send('refused-1@example.com'), 'suppressed');
    expect(again.reason!.code).toBe('suppressed');
    expect(sink.rcptCounts.get('refused-1@example.com')).toBe(1);
  });

  it('tries again after 4xx and sends once', async () => {
    const message = await lettermill.until(await send('later2-1@example.com'), 'sent');
    expect(outcomesOf(message)).toEqual(['deferred', 'deferred', 'sent']);
    expect(sink.mailsTo('later2-1@example.com')).toHaveLength(1);
  });

  it('fails a message when its retries are used up', async () => {
    const message = await lettermill.until(await send('full-1@example.com'), 'failed');
    expect(message.reason!.code).toBe('attempts_used_up');
    expect(outcomesOf(message)).toEqual(['deferred', 'deferred', 'deferred', 'deferred']);
  });

  it('sends the same bytes again when the connection broke after the final dot', async () => {
    const message = await lettermill.until(await send('cutdot-1@example.com'), 'sent');
    expect(outcomesOf(message)).toEqual(['unknown', 'sent']);
    const copies = sink.mailsTo('cutdot-1@example.com');
    expect(copies).toHaveLength(2);
    expect(copies[0]!.raw.equals(copies[1]!.raw)).toBe(true);
  });

  it('holds a message of unknown outcome if the campaign says so', async () => {
    const message = await lettermill.until(await send('cutdot-2@example.com', 'held'), 'uncertain');
    expect(outcomesOf(message)).toEqual(['unknown']);
    expect(sink.mailsTo('cutdot-2@example.com')).toHaveLength(1);
  });

  it('sends everything once an unavailable next hop is back', async () => {
    await sink.stop();
    const ids = await Promise.all(Array.from({ length: 30 }, (_, i) => send(`away-${i}@example.com`)));
    await lettermill.until(ids[0]!, 'deferred');
    await sink.start();
    for (const [i, id] of ids.entries()) {
      await lettermill.until(id, 'sent');
      expect(sink.mailsTo(`away-${i}@example.com`)).toHaveLength(1);
    }
  });

  it('fails a message whose template fails with its data, and sends the others', async () => {
    await lettermill.launch('fragile', { text: '{% for i in (1..n) %}{{ i }}{% endfor %}' });
    const { body } = await lettermill.send({
      campaign: 'fragile',
      to: [
        { contact_key: 'fragile-1@example.com', profile_data: { n: 1_000_000_000 } },
        { contact_key: 'fragile-2@example.com', profile_data: { n: 3 } },
      ],
    });
    const message = await lettermill.until(body.messages[0]!.message_id, 'failed', 'sent');
    expect(message.reason!.code).toBe('render_limit');
    const { mail } = await sink.firstMailTo('fragile-2@example.com');
    expect(mail.text!.trim()).toBe('123');
  });
});

describe('when the next hop is unavailable at the start', () => {
  it('starts, accepts, and sends once the next hop is available', async () => {
    const sink = await new SmtpSink().start();
    await sink.stop();
    const lettermill = await Lettermill.start({ SMTP_URL: sink.url, RETRY_DELAYS: '1,1,1,1,1,1' });
    try {
      await lettermill.launch('order');
      const { status, body } = await lettermill.send({ campaign: 'order', to: 'early@example.com' });
      expect(status).toBe(202);
      const { message_id } = body.messages[0]!;
      await lettermill.until(message_id, 'deferred');
      await sink.start();
      await lettermill.until(message_id, 'sent');
      expect(sink.mailsTo('early@example.com')).toHaveLength(1);
    } finally {
      await lettermill.destroy();
      await sink.stop();
    }
  });
});
