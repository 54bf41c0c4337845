import { TOPICS, type ReceivedEvent } from '@lettermill/events';
import { attemptEvent, bounced, copiesLeft } from '../testing/refused.events';
import { messageId } from '../testing/requested';
import { ContactsService } from '../testing/service';
import { SuppressionsConsumer } from './suppressions.consumer';

describe('/v2/suppressions', () => {
  let service: ContactsService;
  beforeEach(async () => {
    service = await ContactsService.start();
  });
  afterEach(() => service.stop());
  const handle = (...events: ReceivedEvent[]) => service.app.get(SuppressionsConsumer).on(service.batch(events));
  const list = async (query = '', accountId = 'a') => {
    const { body } = await service.call('GET', `/v2/suppressions${query}`, accountId);
    return body as { data: { address: string }[]; next_cursor: string | null };
  };

  it('accepts calls of the gateway only', async () => {
    for (const [method, url] of [
      ['GET', '/v2/suppressions'],
      ['DELETE', '/v2/suppressions/ada@x.org'],
      ['PUT', '/v2/suppressions/ada@x.org'],
    ] as const) {
      expect((await service.app.inject({ method, url })).statusCode).toBe(401);
    }
  });

  it('returns one address, in any case, of that account only', async () => {
    await handle(bounced(1, 'Ada@X.org'));
    const at = '/v2/suppressions/ADA%40x.org';
    const found = { address: 'ada@x.org', reason: 'mailbox_unknown', message_id: messageId(1) };
    expect(await service.call('GET', at)).toMatchObject({ status: 200, body: found });
    expect((await service.call('GET', at, 'b')).status).toBe(404);
    await service.call('DELETE', at);
    expect((await service.call('GET', at)).status).toBe(404);
  });

  it('waits for bounces that are already on the log', async () => {
    service.whileWaiting = () => handle(bounced(1, 'ada@x.org'));
    expect((await service.call('GET', '/v2/suppressions/ada@x.org')).status).toBe(200);
    expect(service.waits).toEqual([[[TOPICS.messageOutcome], 2000]]);
  });

  it('answers what holds for mail if bounces are not read in time', async () => {
    service.inTime = false;
    expect((await service.call('GET', '/v2/suppressions/ada@x.org')).status).toBe(404);
    await handle(bounced(1, 'ada@x.org'));
    expect((await service.call('GET', '/v2/suppressions/ada@x.org')).status).toBe(200);
  });

  it('reports every bad parameter', async () => {
    const { status, body } = await service.call('GET', '/v2/suppressions?limit=101&cursor=x&a~b=1&limit2=');
    const { errors } = body as { errors: { pointer: string; code: string }[] };
    expect(status).toBe(422);
    expect(errors.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      '/query/limit bad_format',
      '/query/cursor bad_format',
      '/query/a~0b unknown_property',
      '/query/limit2 unknown_property',
    ]);
    for (const limit of ['0', '', '-1', '1.5', '1&limit=2', 'x']) {
      expect((await service.call('GET', `/v2/suppressions?limit=${limit}`)).status).toBe(422);
    }
  });

  it('lists hard bounces page by page, newest first, of the account only', async () => {
    await handle(
      bounced(1, 'one@x.org'),
      bounced(2, 'soft@x.org', false),
      bounced(3, 'Three@x.org', true, '2026-03-01T11:00:00.000Z'),
      bounced(4, 'one@x.org', true, '2026-03-01T11:30:00.000Z'),
    );
    const first = await list('?limit=1');
    expect(first.data).toEqual([
      {
        address: 'three@x.org',
        reason: 'mailbox_unknown',
        message_id: messageId(3),
        at: '2026-03-01T11:00:00.000Z',
        unsubscribed_at: null,
        manual_at: null,
      },
    ]);
    const second = await list(`?limit=1&cursor=${first.next_cursor}`);
    expect(second).toMatchObject({ data: [{ address: 'one@x.org', message_id: messageId(1) }], next_cursor: null });
    expect(await list('', 'b')).toEqual({ data: [], next_cursor: null });
  });

  it('lists those of one reason, page by page, and refuses an unknown reason', async () => {
    await handle(bounced(1, 'one@x.org'), bounced(2, 'two@x.org'));
    await service.call('PUT', '/v2/suppressions/three@x.org');
    const first = await list('?reason=mailbox_unknown&limit=1');
    expect(first.data).toMatchObject([{ address: 'two@x.org' }]);
    const second = await list(`?reason=mailbox_unknown&limit=1&cursor=${first.next_cursor}`);
    expect(second).toMatchObject({ data: [{ address: 'one@x.org' }], next_cursor: null });
    expect((await list('?reason=manual')).data).toMatchObject([{ address: 'three@x.org' }]);
    for (const reason of ['greylisted', '', 'manual,complained', 'manual&reason=complained', 'constructor']) {
      const { status, body } = await service.call('GET', `/v2/suppressions?reason=${reason}`);
      const errors = [{ pointer: '/query/reason', code: 'not_allowed_value' }];
      expect([status, body]).toMatchObject([422, { errors }]);
    }
  });

  it('lists refused copies once, however often they are reported; an earlier report does not undo a release', async () => {
    const told = attemptEvent('MessageSent', copiesLeft('CC@x.org', 'bcc@x.org'));
    await handle(told, told, attemptEvent('MessageCopiesTried', copiesLeft('cc@x.org')));
    await handle(told);
    const entry = { reason: 'domain_unknown', message_id: messageId(1), at: '2026-03-01T10:00:00.000Z' };
    expect((await list()).data).toMatchObject([
      { address: 'cc@x.org', ...entry },
      { address: 'bcc@x.org', ...entry },
    ]);
    expect((await list('', 'b')).data).toEqual([]);
    expect((await service.call('DELETE', '/v2/suppressions/cc@x.org')).status).toBe(204);
    await handle(told);
    expect((await list()).data).toMatchObject([{ address: 'bcc@x.org' }]);
  });

  it('suppresses an address by a call, in any spelling, for the account only, until it is released', async () => {
    const at = '/v2/suppressions/ADA%40B%C3%9CCHER.example';
    const body = {
      address: 'ada@xn--bcher-kva.example',
      reason: 'manual',
      message_id: null,
      unsubscribed_at: null,
      manual_at: expect.any(String),
    };
    expect(await service.call('PUT', at)).toMatchObject({ status: 201, body });
    expect(await service.call('PUT', at)).toMatchObject({ status: 200, body });
    expect((await list()).data).toMatchObject([body]);
    expect((await list('', 'b')).data).toEqual([]);
    expect((await service.call('DELETE', at)).status).toBe(204);
    expect((await service.call('GET', at)).status).toBe(404);
  });

  it('keeps an existing cause, and adds an unsubscription beside it', async () => {
    await handle(bounced(1, 'one@x.org'));
    const found = { reason: 'mailbox_unknown', message_id: messageId(1) };
    const put = (reason: string) => service.call('PUT', '/v2/suppressions/one@x.org', 'a', { reason });
    expect(await put('manual')).toMatchObject({ status: 200, body: { ...found, unsubscribed_at: null } });
    expect(await put('unsubscribed')).toMatchObject({
      status: 200,
      body: { ...found, unsubscribed_at: expect.any(String) },
    });
  });

  it('looks up which of several addresses are suppressed, as spelled in the call, after waiting for bounces on the log', async () => {
    await service.call('PUT', '/v2/suppressions/left@x.org', 'a', { reason: 'unsubscribed' });
    service.whileWaiting = () => handle(bounced(1, 'one@x.org'));
    const look = (addresses: unknown, account = 'a') =>
      service.call('POST', '/v2/suppressions/lookup', account, { addresses });
    const { status, body } = await look(['ada@x.org', 'ONE@x.org', 'Left@x.org']);
    expect(status).toBe(200);
    expect(body).toEqual({
      data: [
        { address: 'ONE@x.org', code: 'suppressed', detail: expect.stringContaining(messageId(1)) },
        { address: 'Left@x.org', code: 'unsubscribed', detail: expect.any(String) },
      ],
    });
    expect((await look(['one@x.org'], 'b')).body).toEqual({ data: [] });
    expect((await look([])).body).toEqual({ data: [] });
    expect((await look('one@x.org')).status).toBe(400);
    expect((await look([1])).status).toBe(400);
  });

  it('suppresses the address of an unsubscribe link, with the message that had it', async () => {
    const unsubscribe = (body: object) => service.call('POST', '/v2/suppressions/unsubscribed', 'a', body);
    const message_id = messageId(1);
    for (const body of [{ message_id }, { address: 'one@x.org' }, { address: 1, message_id }]) {
      expect((await unsubscribe(body)).status).toBe(400);
    }
    expect((await list()).data).toEqual([]);
    expect((await unsubscribe({ address: 'One@X.org', message_id })).status).toBe(204);
    expect((await list()).data).toMatchObject([{ address: 'one@x.org', reason: 'unsubscribed', message_id }]);
  });

  it('returns the unsubscription that remains after a release, until that is released too', async () => {
    const at = '/v2/suppressions/one@x.org';
    await service.call('PUT', at, 'a', { reason: 'unsubscribed' });
    await handle(bounced(1, 'one@x.org'));
    expect(await service.call('DELETE', at)).toMatchObject({ status: 200, body: { reason: 'unsubscribed' } });
    expect((await service.call('DELETE', at)).status).toBe(204);
    expect((await service.call('GET', at)).status).toBe(404);
  });

  it('keeps the unsubscription, however often a release with the reason of the bounce is repeated', async () => {
    const at = '/v2/suppressions/one@x.org';
    const release = (query: string) => service.call('DELETE', `${at}?${query}`);
    await service.call('PUT', at, 'a', { reason: 'unsubscribed' });
    await handle(bounced(1, 'one@x.org'));
    const anotherReason = {
      status: 404,
      body: { code: 'not_found', detail: expect.stringMatching(/not .* complained/) },
    };
    expect(await release('reason=complained')).toMatchObject(anotherReason);
    expect(await release('reason=mailbox_unknown')).toMatchObject({ status: 200, body: { reason: 'unsubscribed' } });
    for (let again = 0; again < 2; again += 1) expect((await release('reason=mailbox_unknown')).status).toBe(404);
    for (const query of ['reason=tired', 'reason=', 'reason=unsubscribed&reason=manual', 'because=manual']) {
      expect((await release(query)).status).toBe(422);
    }
    expect(await service.call('GET', at)).toMatchObject({ status: 200, body: { reason: 'unsubscribed' } });
    expect((await release('reason=unsubscribed')).status).toBe(204);
    expect((await service.call('GET', at)).status).toBe(404);
  });

  it('reports every fault of a call that suppresses', async () => {
    const { status, body } = await service.call('PUT', '/v2/suppressions/ada', 'a', { reason: 'tired', because: 1 });
    const { errors } = body as { errors: { pointer: string; code: string }[] };
    expect(status).toBe(422);
    expect(errors.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      ' invalid_email',
      '/reason not_allowed_value',
      '/because unknown_property',
    ]);
    expect((await service.call('PUT', '/v2/suppressions/ada@x.org', 'a', [])).status).toBe(422);
    expect((await list()).data).toEqual([]);
  });

  it.each([
    ['the address', []],
    ['a bounce of the address, which had unsubscribed', ['unsubscribed']],
  ])('returns 503, rather than losing a cause, if %s was released at the same moment', async (_, reasons) => {
    const at = '/v2/suppressions/one@x.org';
    const refused = { status: 503, body: { code: 'unavailable' } };
    for (const reason of [...reasons, 'manual']) await service.call('PUT', at, 'a', { reason });
    await service.call('DELETE', at);
    expect(await service.call('PUT', at)).toMatchObject(refused);
    service.now += 1;
    expect(await service.call('PUT', at)).toMatchObject({ body: { reason: 'manual' } });
  });

  it('returns 503, rather than losing an unsubscription, if the address was released at the same moment', async () => {
    const at = '/v2/suppressions/one@x.org';
    const body = { address: 'one@x.org', message_id: messageId(1) };
    const unsubscribe = () => service.call('POST', '/v2/suppressions/unsubscribed', 'a', body);
    await service.call('PUT', at);
    await service.call('DELETE', at);
    expect(await unsubscribe()).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    service.now += 1;
    expect((await unsubscribe()).status).toBe(204);
  });

  it('releases an address once, for the account only; an earlier bounce does not suppress it again', async () => {
    await handle(bounced(1, 'one@x.org'));
    expect((await service.call('DELETE', '/v2/suppressions/one@x.org', 'b')).status).toBe(404);
    expect((await service.call('DELETE', '/v2/suppressions/ONE%40x.org')).status).toBe(204);
    expect((await service.call('DELETE', '/v2/suppressions/one@x.org')).status).toBe(404);
    await handle(bounced(1, 'one@x.org'));
    expect((await list()).data).toEqual([]);
    await handle(bounced(5, 'one@x.org', true, '2026-03-02T10:00:00.000Z'));
    expect((await list()).data).toHaveLength(1);
  });
});
