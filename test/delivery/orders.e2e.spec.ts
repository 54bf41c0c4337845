import { installedWithSink } from '../installations/installed';
import { API_KEY, waitFor } from '../installations/lettermill';

describe('cancelling and retrying', () => {
  const { sink, lettermill } = installedWithSink({ RETRY_DELAYS: '3000,3000,3000' });
  beforeAll(async () => {
    await lettermill.launch('order');
    await lettermill.launch('careful', { on_uncertain: 'hold' });
  });

  const send = async (to: string, campaign = 'order') => {
    const { status, body } = await lettermill.send({ campaign, to });
    expect(status).toBe(202);
    return body.messages[0]!.message_id;
  };
  const order = (id: string, what: 'cancel' | 'retry') => lettermill.call('POST', `/v2/messages/${id}/${what}`);

  it('retries a waiting message at once, as often as it is asked to, with the same bytes', async () => {
    const id = await send('cutdot-1@example.com', 'careful');
    await lettermill.until(id, 'uncertain');
    expect(await order(id, 'retry')).toMatchObject({ status: 202, body: { message_id: id, state: 'deferred' } });
    const sent = await lettermill.until(id, 'sent');
    expect(sent.attempts.map(({ outcome }) => outcome)).toEqual(['unknown', 'sent']);
    expect(sent.timeline.map(({ type }) => type)).toContain('retried');
    const [first, second, ...more] = sink.mailsTo('cutdot-1@example.com');
    expect(more).toEqual([]);
    expect(second!.raw.equals(first!.raw)).toBe(true);

    const later = await send('later2-1@example.com');
    for (const attempts of [1, 2]) {
      await waitFor(
        async () => (await lettermill.until(later, 'deferred')).attempts.length === attempts,
        'its attempt',
      );
      expect((await order(later, 'retry')).status).toBe(202);
    }
    expect((await lettermill.until(later, 'sent')).attempts).toHaveLength(3);
  });

  it('cancels a waiting message for good, and repeats its answer', async () => {
    const id = await send('full-1@example.com');
    await lettermill.until(id, 'deferred');
    for (let times = 0; times < 2; times += 1) {
      const body = { message_id: id, state: 'cancelled', next_attempt_at: null };
      expect(await order(id, 'cancel')).toMatchObject({ status: 200, body });
    }
    expect(await lettermill.until(id, 'cancelled')).toMatchObject({ reason: { code: 'cancelled' } });
    expect(await order(id, 'retry')).toMatchObject({ status: 409, body: { code: 'message_not_retryable' } });
  });

  it('never sends what it reports as cancelled, however early the call, and sends the others', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, n) => {
        const to = `early${n}@example.com`;
        const id = await send(to);
        const { status, body } = await order(id, 'cancel');
        return { to, id, status, code: body.code };
      }),
    );
    for (const { to, id, status, code } of answers) {
      if (status === 200) {
        expect((await lettermill.until(id, 'cancelled', 'sent')).state).toBe('cancelled');
        expect(sink.mailsTo(to)).toEqual([]);
      } else {
        expect({ status, code }).toEqual({ status: 409, code: 'message_not_cancellable' });
        await lettermill.until(id, 'sent');
        expect(sink.mailsTo(to)).toHaveLength(1);
      }
    }
  });

  it('retries a bounced message once its address is no longer suppressed', async () => {
    const address = 'refused-1@example.com';
    const id = await send(address);
    await lettermill.until(id, 'bounced');
    const { body } = await lettermill.call<{ data: { message_id: string }[] }>(
      'GET',
      '/v2/messages?reason=mailbox_unknown&state=bounced',
    );
    expect(body.data.map(({ message_id }) => message_id)).toEqual([id]);
    expect(await order(id, 'cancel')).toMatchObject({ status: 409, body: { code: 'message_not_cancellable' } });
    expect(await order(id, 'retry')).toMatchObject({ status: 409, body: { code: 'address_suppressed' } });
    const at = `/v2/suppressions/${encodeURIComponent(address)}`;
    expect(await lettermill.call('GET', at)).toMatchObject({ status: 200, body: { address, message_id: id } });
    expect((await lettermill.call('DELETE', at)).status).toBe(204);
    expect((await lettermill.call('GET', at)).status).toBe(404);
    expect((await order(id, 'retry')).status).toBe(202);
    const twice = async () => {
      const { body } = await lettermill.message(id);
      return body.state === 'bounced' && body.attempts.length === 2 ? body : undefined;
    };
    expect((await waitFor(twice, 'a second bounce')).timeline.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['bounced', 'retried', 'bounced']),
    );
  });

  it('sends nothing to an address that a call has suppressed, until another call lifts that', async () => {
    const address = 'leave@example.com';
    const at = `/v2/suppressions/${address}`;
    expect(await lettermill.call('PUT', at)).toMatchObject({
      status: 201,
      body: { reason: 'manual', message_id: null },
    });
    const { state, reason } = await lettermill.until(await send(address), 'suppressed');
    expect([state, reason]).toEqual([
      'suppressed',
      { code: 'suppressed', detail: expect.stringMatching(/call.*manual/) },
    ]);
    expect((await lettermill.call('PUT', at, { reason: 'tired' })).status).toBe(422);
    expect((await lettermill.call('DELETE', at)).status).toBe(204);
    await lettermill.until(await send(address), 'sent');
    expect(sink.mailsTo(address)).toHaveLength(1);
  });

  it('refuses to cancel or retry a sent, failed or unknown message', async () => {
    const id = await send('ada@example.com');
    await lettermill.until(id, 'sent');
    expect(await order(id, 'cancel')).toMatchObject({ status: 409, body: { code: 'message_not_cancellable' } });
    expect(await order(id, 'retry')).toMatchObject({ status: 409, body: { code: 'message_not_retryable' } });
    for (const unknown of ['000000000000000000', 'no', '..%2f..%2fsuppressions']) {
      for (const what of ['cancel', 'retry'] as const) {
        const instance = `/v2/messages/${unknown}/${what}`;
        expect(await order(unknown, what)).toMatchObject({ status: 404, body: { code: 'not_found', instance } });
      }
    }
    const { body } = await lettermill.send({ campaign: 'order', to: { contact_key: { id: '000000000000000000' } } });
    const nobody = body.messages[0]!.message_id;
    await lettermill.until(nobody, 'failed');
    expect(await order(nobody, 'cancel')).toMatchObject({ status: 409, body: { code: 'message_not_cancellable' } });
    const refused = await order(nobody, 'retry');
    expect(refused).toMatchObject({ status: 409, body: { code: 'message_not_retryable' } });
    expect(refused.body.detail).toMatch(
      /^Its state is failed, and .* The reason: No contact of this account has this id\.$/,
    );
  });

  it('requires a key, and accepts an empty JSON body', async () => {
    const id = await send('bob@example.com');
    await lettermill.until(id, 'sent');
    const headers = { 'content-type': 'application/json' };
    expect((await lettermill.call('POST', `/v2/messages/${id}/cancel`, '{}', headers)).status).toBe(409);
    const without = { authorization: `Bearer ${API_KEY}x` };
    expect((await lettermill.call('POST', `/v2/messages/${id}/retry`, undefined, without)).status).toBe(401);
  });
});
