import { installed } from '../installations/installed';

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
