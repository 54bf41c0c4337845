import type { ContactUpserted } from '@lettermill/events';
import { requested, requestedEvent } from '../testing/requested';
import { ContactsService } from '../testing/service';
import { newContact } from './contact';
import { ResolveConsumer } from './resolve.consumer';

const MIB = 1024 * 1024;
const email = (number: number) => `n${number}@x.org`;

describe('a batch for contacts with large profiles', () => {
  let service: ContactsService;
  beforeEach(async () => {
    service = await ContactsService.start();
  });
  afterEach(() => service.stop());

  const numbers = Array.from({ length: 50 }, (_, number) => number);

  async function saveContacts(profile: string): Promise<void> {
    await service.contacts.save(
      numbers.map((number) => ({
        ...newContact(
          { accountId: 'a', kind: 'email' },
          email(number),
          `contact${String(number).padStart(11, '0')}`,
          1,
        ),
        profile,
        version: 1,
      })),
    );
  }

  const handle = () => {
    const messages = numbers.map((number) => requested(number, { email: email(number) }, { profile_data: { number } }));
    return service.app.get(ResolveConsumer).on(service.batch(messages.map((data, at) => requestedEvent(data, at))));
  };
  const sizeOf = (data: unknown) => Buffer.byteLength(JSON.stringify((data as ContactUpserted).contact.profile));

  it('is processed in portions that fit into memory: all of it, in order, each message merged once', async () => {
    await saveContacts(JSON.stringify({ notes: 'x'.repeat(250_000) }));
    await handle();
    const portions = service.published.map((events) => events.reduce((sum, { data }) => sum + sizeOf(data), 0));
    expect(portions.length).toBeGreaterThan(1);
    expect(Math.max(...portions)).toBeLessThan(8 * MIB + 50 * 1024);
    expect(service.takePublished().map(({ data }) => (data as ContactUpserted).contact)).toMatchObject(
      numbers.map((number) => ({ email: email(number), version: 2, profile: { number } })),
    );
  });

  it('is one portion if the profiles are smaller', async () => {
    await saveContacts(JSON.stringify({ notes: 'x'.repeat(100_000) }));
    await handle();
    expect(service.published.map(({ length }) => length)).toEqual([50]);
  });

  it('stays one portion if another process makes them large meanwhile: by then the rest of it is saved', async () => {
    await saveContacts('{}');
    const { save } = service.contacts;
    jest.spyOn(service.contacts, 'save').mockImplementationOnce(async (changed) => {
      const others = await service.contacts.load(
        numbers.slice(1).map((number) => ({ accountId: 'a', kind: 'email', value: email(number) })),
      );
      const profile = JSON.stringify({ notes: 'x'.repeat(250_000) });
      await save.call(
        service.contacts,
        others.map((one) => ({ ...one, profile, version: one.version + 1 })),
      );
      return save.call(service.contacts, changed);
    });
    await handle();
    expect(service.published.map(({ length }) => length)).toEqual([50]);
    const versions = service.takePublished().map(({ data }) => (data as ContactUpserted).contact.version);
    expect(versions).toEqual(numbers.map((number) => (number === 0 ? 2 : 3)));
  });
});
