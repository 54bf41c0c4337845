import { newId, newUuid, TOPICS, topicsOf, type MessageAnswer, type ReceivedEvent } from '@lettermill/events';
import { eventsOf, messageId, REQUEST_ID } from '../testing/events';
import { TrackerService } from '../testing/service';
import { TimelineConsumer } from '../timeline/timeline.consumer';
import { cursorOf } from './search.query';

interface Found {
  data: MessageAnswer[];
  next_cursor: string | null;
}

describe('/v2/messages', () => {
  let service: TrackerService;
  beforeEach(async () => {
    service = await TrackerService.start();
  });
  afterEach(() => service.stop());

  const accept = (...seconds: number[]) =>
    service.app
      .get(TimelineConsumer)
      .on(service.batch(seconds.map((second) => eventsOf(messageId(second)).requested(second))));
  const search = async (query = '') => (await service.get(`/v2/messages${query}`)).body as Found;

  it('accepts calls of the gateway only', async () => {
    for (const url of ['/v2/messages', `/v2/messages/${messageId(1)}`]) {
      expect((await service.app.inject({ method: 'GET', url })).statusCode).toBe(401);
    }
  });

  it('returns 404 for a message that does not exist or belongs to another account', async () => {
    await accept(1);
    expect((await service.get(`/v2/messages/${messageId(1)}`, 'b')).status).toBe(404);
    expect(await service.get(`/v2/messages/${messageId(2)}`)).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
    expect(service.waits).toEqual([
      [topicsOf(TOPICS.messageRequested), 2000],
      [topicsOf(TOPICS.messageRequested), 2000],
    ]);
  });

  it('does not report that there is none while the view is behind', async () => {
    service.inTime = false;
    const notYet = { status: 503, body: { code: 'not_known_yet' } };
    const request = newUuid();
    for (const query of [`/${messageId(1)}`, '?external_message_id=order-1', `?request_id=${request}&state=sent`]) {
      expect(await service.get(`/v2/messages${query}`)).toMatchObject(notYet);
    }
    await accept(2);
    expect(await service.get(`/v2/messages?request_id=${request}`)).toMatchObject(notYet);
    expect(await search('?state=failed')).toEqual({ data: [], next_cursor: null });
    expect((await service.get('/v2/messages/short')).status).toBe(404);
    await accept(1);
    expect((await service.get(`/v2/messages/${messageId(1)}`)).status).toBe(200);
  });

  it('returns what a search by external id finds meanwhile, even if the view is still behind', async () => {
    service.inTime = false;
    const named = eventsOf(messageId(1)).requested(1, { external_message_id: 'order-1' });
    service.whileWaiting = () => service.app.get(TimelineConsumer).on(service.batch([named]));
    expect((await search('?external_message_id=order-1')).data).toMatchObject([{ message_id: messageId(1) }]);
  });

  it('returns 404 at once for what cannot be an id', async () => {
    expect((await service.get('/v2/messages/short')).status).toBe(404);
    expect(service.waits).toEqual([]);
  });

  it('finds a message that was accepted a moment ago', async () => {
    service.whileWaiting = () => accept(1);
    const { status, body } = await service.get(`/v2/messages/${messageId(1)}`);
    expect([status, (body as MessageAnswer).state]).toEqual([200, 'accepted']);
  });

  it('finds a message whose id is older than its acceptance, as after a repeated call', async () => {
    const id = newId(0);
    service.whileWaiting = () => service.app.get(TimelineConsumer).on(service.batch([eventsOf(id).requested(1)]));
    expect((await service.get(`/v2/messages/${id}`)).status).toBe(200);
  });

  describe('a request whose id is older than its acceptance, as after a repeated call', () => {
    const old = `?request_id=${REQUEST_ID}`;
    const found = async (query: string) => (await search(query)).data.map(({ message_id }) => message_id);

    it('is found a moment after it was accepted', async () => {
      service.whileWaiting = () => accept(1);
      expect(await found(old)).toEqual([messageId(1)]);
    });

    it('is found completely, even if a part of it was read before', async () => {
      for (const query of ['', '&state=accepted', '&state=failed', `&cursor=${cursorOf(messageId(1))}`]) {
        await accept(1);
        service.whileWaiting = () => accept(2);
        await search(old + query);
      }
      expect(service.waits).toHaveLength(4);
      expect(await found(old)).toEqual([messageId(2), messageId(1)]);
    });

    it('is reported as not known yet while the view is behind', async () => {
      service.inTime = false;
      expect(await service.get(`/v2/messages${old}`)).toMatchObject({ status: 503, body: { code: 'not_known_yet' } });
      await accept(1);
      expect(await service.get(`/v2/messages${old}&state=failed`)).toMatchObject({ status: 503 });
    });
  });

  it('does not show a part of a request as the whole', async () => {
    const request_id = newUuid();
    const part = service.batch([eventsOf(messageId(1)).requested(1, { request_id })]);
    await service.app.get(TimelineConsumer).on(part);
    service.inTime = false;
    expect((await service.get(`/v2/messages?request_id=${request_id}`)).status).toBe(503);
    service.inTime = true;
    expect((await search(`?request_id=${request_id}`)).data).toHaveLength(1);
  });

  describe('a request that took the place of an unanswered one', () => {
    const [first, second] = [REQUEST_ID, REQUEST_ID.replace('0000', '0001')];
    const read = (...events: ReceivedEvent[]) => service.app.get(TimelineConsumer).on(service.batch(events));
    const found = async () => (await search(`?request_id=${second}`)).data.map(({ message_id }) => message_id);
    const taken = (at: number) => eventsOf(messageId(1)).requestedBy(at, second);

    it('is found completely, though its messages keep the request that was first', async () => {
      await read(eventsOf(messageId(1)).requestedBy(1, first));
      await read(taken(40), eventsOf(messageId(40)).requestedBy(40, second));
      expect(await found()).toEqual([messageId(40), messageId(1)]);
      expect((await search(`?request_id=${first}`)).data).toMatchObject([
        { message_id: messageId(1), request_id: first },
      ]);
    });

    it('waits for what it recorded, not for what the first one did', async () => {
      await read(eventsOf(messageId(1)).requestedBy(-10 * 365 * 24 * 3600, first), taken(40));
      service.whileWaiting = () => read(eventsOf(messageId(40)).requestedBy(40, second));
      expect(await found()).toEqual([messageId(40), messageId(1)]);
    });
  });

  it('finds what was accepted a moment ago beside what it knew before', async () => {
    for (const query of ['', '?state=accepted', '?from=2020-01-01T00:00:00Z&limit=1']) {
      const { length: before } = (await search('?limit=100')).data;
      service.whileWaiting = () => accept(before + 1);
      expect((await search(query)).data[0]).toMatchObject({ message_id: messageId(before + 1) });
    }
  });

  it('does not show a part of what was accepted until a time as the whole', async () => {
    await accept(1);
    service.inTime = false;
    expect((await search('')).data).toHaveLength(1);
    const until = '?to=2999-01-01T00:00:00Z';
    expect(await service.get(`/v2/messages${until}`)).toMatchObject({ status: 503, body: { code: 'not_known_yet' } });
    expect((await service.get(`/v2/messages?to=2000-01-01T00:00:00Z`)).status).toBe(200);
    expect((await service.get(`/v2/messages${until}&cursor=${cursorOf(messageId(1))}`)).status).toBe(200);
    service.inTime = true;
    expect((await search(until)).data).toHaveLength(1);
  });

  it('does not wait if a page is empty because the one before was the last', async () => {
    await accept(1);
    expect((await search(`?cursor=${cursorOf(messageId(1))}`)).data).toEqual([]);
    expect(service.waits).toEqual([]);
  });

  it('does not wait for new messages if the request was accepted long ago', async () => {
    await accept(-3600);
    service.inTime = false;
    expect((await search(`?request_id=${REQUEST_ID}`)).data).toHaveLength(1);
    expect((await search(`?request_id=${REQUEST_ID}&state=failed`)).data).toEqual([]);
    expect(service.waits).toEqual([]);
  });

  it('continues a search by several states where the page before ended', async () => {
    await accept(1, 2, 3);
    const first = await search('?state=failed,accepted&limit=2');
    expect(first.data.map(({ message_id }) => message_id)).toEqual([messageId(3), messageId(2)]);
    const second = await search(`?state=failed%2Caccepted&limit=2&cursor=${first.next_cursor}`);
    expect(second).toMatchObject({ data: [{ message_id: messageId(1) }], next_cursor: null });
  });

  it('takes several states as several parameters, too, as many clients write a list so', async () => {
    await accept(1, 2);
    expect((await search('?state=failed&state=accepted')).data).toHaveLength(2);
    expect((await search('?state=failed&state=sent')).data).toEqual([]);
  });

  it('pages through all messages, newest first, and ends with null', async () => {
    await accept(5, 1, 4, 2, 3);
    const seen: string[] = [];
    let cursor: string | null = '';
    let pages = 0;
    while (cursor !== null) {
      const page: Found = await search(`?limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.data.map(({ message_id }) => message_id));
      cursor = page.next_cursor;
      pages += 1;
    }
    expect(seen).toEqual([5, 4, 3, 2, 1].map(messageId));
    expect(pages).toBe(3);
    expect((await search('?limit=5')).next_cursor).toBeNull();
  });

  it('returns the whole message in a search', async () => {
    await accept(1);
    const { data } = await search();
    expect(data).toEqual([(await service.get(`/v2/messages/${messageId(1)}`)).body]);
  });

  it('reports every bad or unknown parameter', async () => {
    const { status, body } = await service.get('/v2/messages?limit=0&order=asc&state=gone&limit=1');
    const { errors } = body as { errors: { pointer: string; code: string }[] };
    expect(status).toBe(422);
    expect(errors.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      '/query/limit wrong_type',
      '/query/order unknown_property',
      '/query/state not_allowed_value',
    ]);
  });
});
