import { CATALOG, TOPICS, topicsOf, type MessageAnswer } from '@lettermill/events';
import { eventsOf, messageId } from '../testing/events';
import { TrackerService } from '../testing/service';
import { MESSAGES_STORE, type MessagesStore } from './messages.store';
import { TimelineConsumer } from './timeline.consumer';

describe('TimelineConsumer', () => {
  let service: TrackerService;
  let consumer: TimelineConsumer;
  let messages: MessagesStore;
  beforeEach(async () => {
    service = await TrackerService.start();
    consumer = service.app.get(TimelineConsumer);
    messages = service.app.get<MessagesStore>(MESSAGES_STORE);
  });
  afterEach(() => service.stop());
  const one = eventsOf(messageId(1));
  const two = eventsOf(messageId(2));
  const answer = async (second: number) =>
    (await service.get(`/v2/messages/${messageId(second)}`)).body as MessageAnswer;

  it('reads every topic that has events about messages', () => {
    const { prototype } = TimelineConsumer;
    const methods = Object.getOwnPropertyNames(prototype).map((name) => prototype[name as keyof TimelineConsumer]);
    const read = methods.flatMap((method) => (Reflect.getMetadata('microservices:pattern', method) as string[]) ?? []);
    const written = Object.values(CATALOG).flatMap(({ topic }) => topicsOf(topic));
    expect(read.sort()).toEqual([...new Set(written)].filter((topic) => topic !== TOPICS.campaignLaunched).sort());
  });

  it('does not fail a batch because of an event in another batch', async () => {
    const bad = { ...two.queued(2), time: 'never' };
    const results = await Promise.allSettled([
      consumer.on(service.batch([one.requested(1), two.requested(1)])),
      consumer.on(service.batch([bad])),
      consumer.on(service.batch([one.sent(3, 1)])),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await answer(1)).toMatchObject({ state: 'sent' });
    expect(await answer(2)).toMatchObject({ state: 'accepted' });
  });

  it('passes the error of the store on', async () => {
    jest.spyOn(messages, 'load').mockRejectedValue(Object.assign(new Error('away'), { retryable: true }));
    await expect(consumer.on(service.batch([one.requested(1)]))).rejects.toMatchObject({ retryable: true });
  });

  it('asks for the batch again if the store refuses every save', async () => {
    jest.spyOn(messages, 'save').mockImplementation((changes) => Promise.resolve(changes));
    await expect(consumer.on(service.batch([one.requested(1)]))).rejects.toMatchObject({ retryable: true });
  });

  it('handles the topics at the same time, in any order, and with repeats', async () => {
    const [requested, resolved, queued] = [[one.requested(1), two.requested(1)], [one.resolved(2)], [one.queued(3)]];
    const outcome = [one.sending(4, 1), one.sent(4, 1), two.failed(2)];
    for (let again = 0; again < 2; again += 1) {
      await Promise.all([
        consumer.on(service.batch(outcome)),
        consumer.on(service.batch(queued)),
        consumer.on(service.batch(requested)),
        consumer.on(service.batch(resolved)),
      ]);
    }
    expect((await answer(1)).timeline.map(({ type }) => type)).toEqual([
      'accepted',
      'contact_resolved',
      'queued',
      'sending',
      'sent',
    ]);
    expect(await answer(2)).toMatchObject({ state: 'failed', reason: { code: 'render_error' } });
  });

  it('loads once and saves once for a batch', async () => {
    const [load, save] = [jest.spyOn(messages, 'load'), jest.spyOn(messages, 'save')];
    const events = Array.from({ length: 100 }, (_, at) => eventsOf(messageId(at)).requested(at));
    await consumer.on(service.batch([...events, one.queued(9), one.queued(10)]));
    expect([load.mock.calls.length, save.mock.calls.length]).toEqual([1, 1]);
    expect(save.mock.calls[0]![0]).toHaveLength(100);
  });

  it('loads once and saves once for the topics that wait together', async () => {
    const [load, save] = [jest.spyOn(messages, 'load'), jest.spyOn(messages, 'save')];
    await Promise.all([
      consumer.on(service.batch([one.requested(1)])),
      consumer.on(service.batch([one.resolved(2)])),
      consumer.on(service.batch([one.queued(3)])),
      consumer.on(service.batch([one.sent(4, 1)])),
    ]);
    expect([load.mock.calls.length, save.mock.calls.length]).toEqual([1, 1]);
    expect(save.mock.calls[0]![0]).toMatchObject([{ state: 'sent', terms: ['@ada@x.org', '=contact00000000001'] }]);
  });

  it('loads messages with many attempts in portions', async () => {
    const load = jest.spyOn(messages, 'load');
    const events = Array.from({ length: 50 }, (_, at) => eventsOf(messageId(at)).deferred(at, 400));
    await consumer.on(service.batch(events));
    expect(load.mock.calls.map(([refs]) => refs.length)).toEqual([20, 20, 10]);
    expect((await messages.load(events.map((_, at) => ({ accountId: 'a', messageId: messageId(at) })))).length).toBe(
      50,
    );
  });

  it('does not write again the search terms that are already stored', async () => {
    await consumer.on(service.batch([one.requested(1)]));
    await consumer.on(service.batch([one.resolved(2)]));
    const save = jest.spyOn(messages, 'save');
    await consumer.on(service.batch([one.sent(4, 1)]));
    expect(save.mock.calls[0]![0]).toMatchObject([{ terms: [], accepted: undefined, reason: undefined }]);
  });

  it('writes no search term for the request of a message, unless another call named the message before', async () => {
    const save = jest.spyOn(messages, 'save');
    const events = [one.requestedBy(1, 'R1'), one.requested(2, { request_id: 'R1' }), one.requestedBy(40, 'R2')];
    for (const event of events) await consumer.on(service.batch([event]));
    expect(save.mock.calls.map(([[change]]) => change?.terms)).toEqual([['@ada@x.org'], [], ['#R2']]);
  });

  it('keeps accounts apart, even if two have a message with the same id', async () => {
    const theirs = eventsOf(messageId(1), 'b');
    await consumer.on(service.batch([one.requested(1), theirs.requested(1)]));
    await consumer.on(service.batch([one.sent(3, 1), theirs.failed(3)]));
    const states = ['a', 'b'].map(
      async (account) => (await service.get(`/v2/messages/${messageId(1)}`, account)).body as MessageAnswer,
    );
    expect((await Promise.all(states)).map(({ state }) => state)).toEqual(['sent', 'failed']);
  });

  it('retries a message that another process changed, and loses nothing', async () => {
    await consumer.on(service.batch([one.requested(1), two.requested(1)]));
    const load = messages.load.bind(messages);
    jest.spyOn(messages, 'load').mockImplementationOnce(async (refs) => {
      const seen = await load(refs);
      const [record] = seen;
      await messages.save([{ ...record!, state: 'queued', reason: undefined, accepted: undefined, terms: [] }]); // by another process
      return seen;
    });
    await consumer.on(service.batch([one.queued(3), two.queued(3)]));
    expect((await answer(1)).state).toBe('queued');
    expect((await answer(2)).state).toBe('queued');
  });
});
