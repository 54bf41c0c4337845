import { EventPublisher } from '@lettermill/log';
import { topicOf, TOPICS, type Priority } from '@lettermill/events';
import { requested, requestedEvent } from '../testing/requested';
import { ContactsService } from '../testing/service';
import { keyRef } from './contact';
import { ResolveConsumer } from './resolve.consumer';

describe('ResolveConsumer, by priority', () => {
  let service: ContactsService;
  beforeEach(async () => {
    service = await ContactsService.start();
  });
  afterEach(() => service.stop());

  /** Handles a message to Ada that sets `n` in her profile, and a mark of its own. */
  const handle = (n: number, priority: Priority, position: number) => {
    const data = requested(n, { email: 'ada@x.org' }, { profile_data: { n, [`n${n}`]: true } });
    const event = { ...requestedEvent(data, position), topic: topicOf(TOPICS.messageRequested, priority) };
    return service.app.get(ResolveConsumer).on(service.batch([event]));
  };
  const ada = async () => {
    const [stored] = await service.contacts.load([keyRef('a', 'email', 'ada@x.org')]);
    return stored!;
  };

  it('publishes to the topic of the same priority, and tells records apart by their topic', async () => {
    const append = jest.spyOn(service.app.get(EventPublisher), 'append');
    await handle(1, 'normal', 4);
    await handle(2, 'high', 3);
    await handle(3, 'high', 3);
    expect(append.mock.calls.map(([records]) => records.map(({ topic }) => topic))).toEqual([
      ['contact-upserted'],
      ['contact-upserted-high'],
      ['contact-upserted-high', 'contact-upserted-high'],
    ]);
    expect(await ada()).toMatchObject({
      profile: '{"n":2,"n1":true,"n2":true}',
      applied: { 0: 4, 'message-requested-high/0': 3 },
    });
  });

  it('waits a moment for less urgent records, so that a contact’s messages stay in order', async () => {
    service.whileWaiting = () => handle(1, 'normal', 0);
    await handle(2, 'high', 0);
    expect((await ada()).profile).toBe('{"n":2,"n1":true,"n2":true}');
    expect(service.waits).toEqual([
      [['message-requested', 'message-requested-bulk'], 100],
      [['message-requested-bulk'], 100],
    ]);
  });
});
