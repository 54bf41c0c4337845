import { API_KEY, Lettermill, waitFor, type Message } from '../installations/lettermill';
import { SmtpSink } from '../installations/smtp.sink';
import { Postfix } from './postfix';

const RETURN_PATH = 'bounces.shop.example';
const MAX_MAIL_BYTES = 20_000;

describe('bounces that Postfix writes', () => {
  const nextServer = new SmtpSink({ hideSMTPUTF8: true, size: MAX_MAIL_BYTES });
  /** The server that its bounce reports go to. */
  const bounceServer = new SmtpSink();
  let postfix: Postfix;
  let lettermill: Lettermill;

  beforeAll(async () => {
    await Promise.all([nextServer.start(), bounceServer.start()]);
    postfix = await Postfix.start(nextServer.port, false, [
      `transport_maps = inline:{ {${RETURN_PATH} = smtp:[127.0.0.1]:${bounceServer.port}} }`,
      // It gives up at once what its next server defers.
      'maximal_queue_lifetime = 0',
    ]);
    lettermill = await Lettermill.start({ SMTP_URL: `smtp://127.0.0.1:${postfix.port}?tls=off`, RETURN_PATH });
    await lettermill.launch('order');
  }, 120_000);
  afterAll(async () => {
    await lettermill?.destroy();
    postfix?.stop();
    await Promise.all([nextServer.stop(), bounceServer.stop()]);
  });

  /** Posts the reports that came to the return path of a message, unchanged; resolves to the answers. */
  async function postBounces(id: string): Promise<{ status: number; body: Record<string, unknown> }[]> {
    const reportsOf = () => bounceServer.mails.filter(({ raw }) => raw.includes(`<${id}@`));
    const reports = await waitFor(() => (reportsOf().length > 0 ? reportsOf() : undefined), 'the report', 20_000);
    const posted = reports.map(async ({ raw, to }) => {
      expect(to[0]).toMatch(new RegExp(`^bounce\\+[a-z2-7]+@${RETURN_PATH}$`));
      const answer = await fetch(`${lettermill.url}/v2/inbound/bounces`, {
        method: 'POST',
        headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'message/rfc822' },
        body: new Uint8Array(raw),
      });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    });
    return Promise.all(posted);
  }

  async function send(to: string, message: Record<string, unknown> = {}): Promise<string> {
    const { body } = await lettermill.send({ campaign: 'order', to, message });
    const id = body.messages[0]!.message_id;
    await lettermill.until(id, 'sent');
    return id;
  }

  it.each<[string, string, Record<string, unknown>, Partial<Record<string, unknown>>]>([
    ['an unknown mailbox', 'refused-1@example.com', {}, { hard: true, status: '5.1.1', reason: 'mailbox_unknown' }],
    [
      'a mail that is too large',
      'large@example.com',
      { text: 'x'.repeat(30_000) },
      { hard: false, reason: 'message_too_large' },
    ],
    ['an address that the next server cannot write', 'üser@example.com', {}, { hard: false, status: '5.6.7' }],
    ['a mailbox that stays full', 'full-1@example.com', {}, { hard: false, reason: 'mailbox_full' }],
  ])('are understood: %s', async (_, to, message, understood) => {
    const id = await send(to, message);
    const [answer] = await postBounces(id);
    expect(answer).toMatchObject({
      status: 202,
      body: { kind: 'bounce', message_id: id, recipient: to, ...understood },
    });
    const bounced: Message = await lettermill.until(id, 'bounced');
    expect(bounced.reason).toMatchObject({ code: answer!.body.reason });
  });

  it('are attributed to the refused copy alone', async () => {
    const id = await send('ada@example.com', { cc: ['refused-cc@example.com'], bcc: ['bob@example.com'] });
    const [answer] = await postBounces(id);
    expect(answer).toMatchObject({ status: 202, body: { recipient: 'refused-cc@example.com', hard: true } });
    expect((await lettermill.message(id)).body.state).toBe('sent');
  });
});
