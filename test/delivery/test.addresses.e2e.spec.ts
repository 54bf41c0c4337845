import { installed } from '../installations/installed';
import { waitFor } from '../installations/lettermill';

describe('test addresses of the built-in mailbox', () => {
  const lettermill = installed({ RETRY_DELAYS: '1,1,1' });
  beforeAll(() => lettermill.launch('order'));

  async function sent(to: string, ...states: string[]) {
    const { body } = await lettermill.send({ campaign: 'order', to });
    return lettermill.until(body.messages[0]!.message_id, ...states);
  }

  it('bounce, and are suppressed like any other', async () => {
    const bounced = await sent('bounced+first@mailbox.invalid', 'bounced');
    expect(bounced).toMatchObject({ reason: { code: 'mailbox_unknown' }, attempts: [{ reply: { code: 550 } }] });
    await sent('bounced+first@mailbox.invalid', 'suppressed');
    await sent('bounced+second@mailbox.invalid', 'bounced');
  });

  it('are deferred as often as they say', async () => {
    const { attempts } = await sent('deferred-2@mailbox.invalid', 'sent');
    expect(attempts.map(({ reply }) => reply?.code)).toEqual([451, 451, 250]);
    const { reason } = await sent('full@mailbox.invalid', 'failed');
    expect(reason).toMatchObject({ code: 'attempts_used_up' });
  });

  it('hide that the mail arrived, so that it comes twice, as its attempts show', async () => {
    const { attempts } = await sent('uncertain-1@mailbox.invalid', 'sent');
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['unknown', 'sent']);
    const { body } = await lettermill.call<{ data: { to: string[] }[] }>('GET', '/mailbox/api/messages');
    expect(body.data.filter(({ to }) => to.includes('uncertain-1@mailbox.invalid'))).toHaveLength(2);
  });
});

describe.each([
  ['with a return path', { RETURN_PATH: 'bounces.shop.example' }, /^bounce\+[a-z2-7]+@bounces\.shop\.example$/],
  ['without, by the Message-ID', {}, /^[^+]+@/],
])('test addresses of servers behind the next hop, %s', (_, environment, sender) => {
  const lettermill = installed(environment);
  beforeAll(() => lettermill.launch('order'));

  async function sent(to: string) {
    const { body } = await lettermill.send({ campaign: 'order', to });
    const id = body.messages[0]!.message_id;
    await lettermill.until(id, 'sent', 'bounced');
    return id;
  }

  const suppressionOf = (address: string) =>
    waitFor(async () => {
      const { body } = await lettermill.call<{ data: { address: string; reason: string }[] }>(
        'GET',
        '/v2/suppressions?limit=100',
      );
      return body.data.find((one) => one.address === address)?.reason;
    }, `the suppression of ${address}`);

  const timelineOf = async (id: string) => (await lettermill.message(id)).body.timeline;

  it('return a mail that was sent, so that it ends bounced and its address is suppressed', async () => {
    const address = 'returned+anna@mailbox.invalid';
    const id = await sent(address);
    const { reason, attempts } = await lettermill.until(id, 'bounced');
    expect(reason).toMatchObject({ code: 'mailbox_unknown', detail: expect.stringContaining('550 5.1.1') });
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['sent']);
    expect((await timelineOf(id)).find(({ type }) => type === 'bounced')).toMatchObject({
      asynchronous: true,
      address,
    });
    expect(await suppressionOf(address)).toBe('mailbox_unknown');
    const { body } = await lettermill.call<{ data: { subject: string; to: string[] }[] }>(
      'GET',
      '/mailbox/api/messages',
    );
    expect(body.data.find(({ to }) => sender.test(to[0]!) && to[0] !== address)).toMatchObject({
      subject: 'Undelivered Mail Returned to Sender',
    });
  });

  it('complain about a mail that was sent, which suppresses the address and changes nothing else', async () => {
    const address = 'complained@mailbox.invalid';
    const id = await sent(address);
    const complaint = async () => (await timelineOf(id)).find(({ type }) => type === 'complained');
    expect(await waitFor(complaint, 'the complaint')).toMatchObject({ address });
    expect(await suppressionOf(address)).toBe('complained');
    expect((await lettermill.message(id)).body.state).toBe('sent');
  });
});
