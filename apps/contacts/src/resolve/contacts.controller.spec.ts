import { TOPICS, topicsOf } from '@lettermill/events';
import { requested, requestedEvent } from '../testing/requested';
import { ContactsService } from '../testing/service';
import { ResolveConsumer } from './resolve.consumer';

describe('GET /v2/contacts/:key/:value', () => {
  let service: ContactsService;
  beforeAll(async () => {
    service = await ContactsService.start();
  });
  afterAll(() => service.stop());

  const handle = (...messages: ReturnType<typeof requested>[]) =>
    service.app.get(ResolveConsumer).on(service.batch(messages.map((data, at) => requestedEvent(data, at))));

  it('accepts calls of the gateway only', async () => {
    const response = await service.app.inject({ method: 'GET', url: '/v2/contacts/email/ada@x.org' });
    expect(response.statusCode).toBe(401);
  });

  it('returns 404 if there is no such contact, after waiting for accepted messages', async () => {
    expect(await service.call('GET', '/v2/contacts/email/nobody@x.org')).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
    expect(service.waits).toEqual([[topicsOf(TOPICS.messageRequested), 1000]]);
  });

  it('returns 503 while accepted messages that may make the contact are not read yet', async () => {
    service.inTime = false;
    expect(await service.call('GET', '/v2/contacts/email/nobody@x.org')).toMatchObject({
      status: 503,
      body: { code: 'not_known_yet' },
    });
    service.whileWaiting = () => handle(requested(7, { email: 'late@x.org' }));
    expect((await service.call('GET', '/v2/contacts/email/late@x.org')).status).toBe(200);
    service.inTime = true;
  });

  it('finds a contact that is made while it waits, and does not show it to another account', async () => {
    service.whileWaiting = () => handle(requested(1, { customer: 'x/7 ä' }, { email_address: { email: 'Ada@x.org' } }));
    const path = `/v2/contacts/customer/${encodeURIComponent('x/7 ä')}`;
    const { status, body } = await service.call('GET', path);
    expect(status).toBe(200);
    const { id } = body as { id: string };
    expect(body).toEqual({
      id,
      keys: { email: 'Ada@x.org', customer: 'x/7 ä' },
      profile: {},
      version: 1,
      created_at: '2026-03-01T12:00:00.000Z',
      updated_at: '2026-03-01T12:00:00.000Z',
    });
    expect((await service.call('GET', `/v2/contacts/id/${id}`)).body).toEqual(body);
    expect((await service.call('GET', `/v2/contacts/email/${encodeURIComponent('ADA@x.org')}`)).body).toEqual(body);
    expect((await service.call('GET', path, 'b')).status).toBe(404);
  });

  it('returns profiles as they are, whatever their keys', async () => {
    const profile_data = JSON.parse('{"__proto__":{"a":1},"constructor":null}') as Record<string, unknown>;
    await handle(requested(2, { toString: 'x' } as unknown as Record<string, string>, { profile_data }));
    const { body } = await service.call('GET', '/v2/contacts/toString/x');
    expect(JSON.stringify(body)).toContain('"profile":{"__proto__":{"a":1},"constructor":null}');
    expect((await service.call('GET', '/v2/contacts/__proto__/x')).status).toBe(404);
  });
});
