import { installedWithSink } from '../installations/installed';
import { waitFor } from '../installations/lettermill';

describe('the send call', () => {
  const { sink, lettermill } = installedWithSink({ RETRY_DELAYS: '1,1,1' });
  beforeAll(() => lettermill.launch('order'));

  /** Waits for so many mails to an address. */
  const mailsTo = (address: string, count: number) =>
    waitFor(() => {
      const mails = sink.mailsTo(address);
      return mails.length >= count ? mails : undefined;
    }, `${count} mails to ${address}`);

  it('sends one mail to one recipient and reports what became of it', async () => {
    const { status, body } = await lettermill.send({
      campaign: 'order',
      to: { email: 'ada@example.com', name: 'Ada, Countess of "L"' },
      profile_data: { first_name: 'Ada' },
    });
    expect(status).toBe(202);
    expect(body).toEqual({
      request_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      messages: [{ message_id: expect.stringMatching(/^[A-Za-z0-9]{18}$/), contact_key: { email: 'ada@example.com' } }],
    });
    const sunk = await sink.firstMailTo('ada@example.com');
    expect(sunk.from).toBe('billing@shop.example');
    expect(sunk.mail).toMatchObject({
      from: { address: 'billing@shop.example', name: 'Shop' },
      to: [{ address: 'ada@example.com', name: 'Ada, Countess of "L"' }],
      subject: 'Hello Ada',
    });
    expect(sunk.mail.text!.trim()).toBe('Hello Ada, your order is on its way.');
    expect(sunk.mail.html).toBeUndefined();

    const { message_id } = body.messages[0]!;
    const message = await lettermill.until(message_id, 'sent');
    expect(message).toMatchObject({
      message_id,
      request_id: body.request_id,
      contact_key: { email: 'ada@example.com' },
      campaign: { slug: 'order', version: 1 },
      reason: null,
      attempts: [{ outcome: 'sent', reply: { code: 250 } }],
    });
    expect(message.timeline.map(({ type }) => type)).toEqual(expect.arrayContaining(['accepted', 'queued', 'sent']));
    expect(sunk.mail.messageId).toBe(`<${message_id}@shop.example>`);
  });

  it('is refused with a query parameter, as that may be meant to prevent the sending', async () => {
    const body = { campaign: 'order', to: 'dry-run@example.com' };
    const { status, body: problem } = await lettermill.call('POST', '/v2/send/email?dry_run=true', body);
    expect(status).toBe(422);
    expect(problem).toMatchObject({ errors: [{ pointer: '/query/dry_run', code: 'unknown_property' }] });
    expect((await lettermill.call('POST', '/v2/send/email?', body)).status).toBe(202);
    await sink.firstMailTo('dry-run@example.com');
  });

  it('finds the message by GET right after the 202, each time', async () => {
    for (let i = 0; i < 20; i += 1) {
      const { body } = await lettermill.send({ campaign: 'order', to: `right-after-${i}@example.com` });
      const found = await lettermill.message(body.messages[0]!.message_id);
      expect(found.status).toBe(200);
      expect(found.body.request_id).toBe(body.request_id);
    }
  });

  it('makes one message for each of 100 recipients, each with data of its own', async () => {
    const to = Array.from({ length: 100 }, (_, i) => ({
      contact_key: { email: `many-${i}@example.com` },
      profile_data: { first_name: `N${i}` },
      external_message_id: `many-${i}`,
    }));
    const { status, body } = await lettermill.send({ campaign: 'order', to });
    expect(status).toBe(202);
    expect(body.messages.map(({ external_message_id }) => external_message_id)).toEqual(
      to.map(({ external_message_id }) => external_message_id),
    );
    for (const [i, { message_id }] of body.messages.entries()) {
      const { mail } = await sink.firstMailTo(`many-${i}@example.com`);
      expect(mail.subject).toBe(`Hello N${i}`);
      expect(mail.messageId).toBe(`<${message_id}@shop.example>`);
    }
  });

  it('finds contacts by sms, id and custom key, and sends to their addresses', async () => {
    const first = await lettermill.send({
      campaign: 'order',
      to: [
        { contact_key: { sms: '+4915112345678' }, email_address: 'sms@example.com', profile_data: { first_name: 'S' } },
        { contact_key: { crm_id: 'C-77' }, email_address: { email: 'crm@example.com', name: 'Crm' } },
      ],
    });
    expect(first.body.messages.map(({ contact_key }) => contact_key)).toEqual([
      { sms: '+4915112345678' },
      { crm_id: 'C-77' },
    ]);
    await sink.firstMailTo('sms@example.com');
    await sink.firstMailTo('crm@example.com');
    const contact = await lettermill.call<{ id: string; keys: object }>('GET', '/v2/contacts/crm_id/C-77');
    expect(contact.body.keys).toMatchObject({ crm_id: 'C-77', email: 'crm@example.com' });
    await lettermill.send({ campaign: 'order', to: [{ sms: '+4915112345678' }, { id: contact.body.id }] });
    const bySms = await mailsTo('sms@example.com', 2);
    expect(bySms.map(({ mail }) => mail.subject)).toEqual(['Hello S', 'Hello S']);
    await mailsTo('crm@example.com', 2);
    const { body } = await lettermill.send({ campaign: 'order', to: { id: 'A'.repeat(18) } });
    const lost = await lettermill.until(body.messages[0]!.message_id, 'failed');
    expect(lost.reason!.code).toBe('contact_not_found');
    const nowhere = await lettermill.send({ campaign: 'order', to: { sms: '+4915199999999' } });
    const homeless = await lettermill.until(nowhere.body.messages[0]!.message_id, 'failed');
    expect(homeless.reason!.code).toBe('no_address');
  });

  it('merges profile data: recipient over request over stored', async () => {
    await lettermill.launch('merge', {
      subject: '{{ a.x }}{{ a.y }}{{ a.z }}|{{ list | join: "," }}|{{ kept }}|{{ gone }}',
      text: '{{ profile.a.x }}',
    });
    const to = 'merge@example.com';
    await lettermill.send({
      campaign: 'merge',
      to,
      profile_data: { a: { x: '1', y: '1', z: '1' }, list: [1, 2, 3], kept: 'k', gone: 'g' },
    });
    await sink.firstMailTo(to);
    await lettermill.send({
      campaign: 'merge',
      profile_data: { a: { y: '2', z: '2' }, list: [9], gone: null },
      to: { contact_key: to, profile_data: { a: { z: '3' }, first_name: '{{ 7 | times: 7 }}' } },
    });
    const sunk = await mailsTo(to, 2);
    expect(sunk.map(({ mail }) => mail.subject)).toEqual(['111|1,2,3|k|g', '123|9|k|']);
    const { body } = await lettermill.call<{ profile: object }>('GET', `/v2/contacts/email/${to}`);
    expect(body.profile).toEqual({
      a: { x: '1', y: '2', z: '3' },
      list: [9],
      kept: 'k',
      gone: null,
      first_name: '{{ 7 | times: 7 }}',
    });
  });

  it('sends an accepted message with the campaign version of its acceptance', async () => {
    await lettermill.launch('versioned', { subject: 'one' });
    await lettermill.send({ campaign: 'versioned', to: 'v1@example.com' });
    const again = await lettermill.launch('versioned', { subject: 'one' });
    expect([again.status, again.body.version]).toEqual([200, 1]);
    const two = await lettermill.launch('versioned', { subject: 'two' });
    expect([two.status, two.body.version]).toEqual([200, 2]);
    await lettermill.send({ campaign: { id: two.body.id as string }, to: 'v2@example.com' });
    expect((await sink.firstMailTo('v1@example.com')).mail.subject).toBe('one');
    expect((await sink.firstMailTo('v2@example.com')).mail.subject).toBe('two');
  });
});
