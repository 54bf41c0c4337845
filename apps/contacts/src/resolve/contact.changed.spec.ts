import fc from 'fast-check';
import { topicsOf, TOPICS, encodeEvent, type AnyEvent, type Contact, type ContactKey } from '@lettermill/events';
import { requested } from '../testing/requested';
import { outline, publishedAt, suppressAddress, type Placed } from '../testing/resolving';
import { ContactsService } from '../testing/service';
import { keyRef, type StoredContact } from './contact';

const CONTACT_TOPICS = topicsOf(TOPICS.contactUpserted);
const CUSTOMERS = ['1', '2'];
const ADDRESSES = ['ada@x.org', 'bad@x.org', 'eve@x.org'];

/** What the topics of contacts say of each: a later record counts, if its version is not older. */
function contactsOf(events: AnyEvent[]): Map<string, Contact> {
  const contacts = new Map<string, Contact>();
  for (const event of events) {
    if (!CONTACT_TOPICS.includes(encodeEvent(event).topic)) continue;
    const { contact } = event.data as { contact: Contact };
    if (contact.version >= (contacts.get(contact.id)?.version ?? 0)) contacts.set(contact.id, contact);
  }
  return contacts;
}

function asTold({ id, email, sms, keys, profile, version }: StoredContact): Contact {
  return { id, email, sms, keys, profile: JSON.parse(profile), version };
}

describe('contacts of messages that end in `contacts`', () => {
  let service: ContactsService;
  beforeEach(async () => {
    service = await ContactsService.start();
    await suppressAddress(service, 'bad@x.org');
  });
  afterEach(() => service.stop());

  const storedContacts = async () => {
    const emails = ADDRESSES.map((email) => keyRef('a', 'email', email));
    const found = await service.contacts.load([
      ...emails,
      ...CUSTOMERS.map((customer) => keyRef('a', 'customer', customer)),
    ]);
    return new Map(found.map((contact) => [contact.id, asTold(contact)]));
  };

  it('are told before the end, if the message made or changed them', async () => {
    const records: Placed[] = [
      [requested(1, { customer: '1' }, { profile_data: { n: 1 } }), 1],
      [requested(2, { customer: '1' }, { profile_data: { n: 1 } }), 2],
      [requested(3, { customer: '1' }, { profile_data: { n: 3 } }), 3],
      [requested(4, { email: 'bad@x.org' }), 4],
      [requested(5, { email: 'bad@x.org' }), 5],
      [requested(6, { id: 'nobody' }), 6],
    ];
    const events = await publishedAt(service, records);
    expect(outline(events)).toEqual([
      'ContactChanged',
      'MessageFailed no_address',
      'MessageFailed no_address',
      'ContactChanged',
      'MessageFailed no_address',
      'ContactChanged',
      'MessageSuppressed suppressed',
      'MessageSuppressed suppressed',
      'MessageFailed contact_not_found',
    ]);
    expect(events[3]).toMatchObject({
      id: `event-${records[2]![0].message_id}/contact-changed`,
      key: 'a:{"customer":"1"}',
      source: 'contacts',
      data: { account_id: 'a', contact: { keys: { customer: '1' }, email: null, profile: { n: 3 }, version: 2 } },
    });
  });

  it('are told as they are stored when the record is read again: whether it changed them is not known then', async () => {
    const records: Placed[] = [
      [requested(1, { customer: '1' }, { profile_data: { n: 1 } }), 1],
      [requested(2, { customer: '1' }, { profile_data: { n: 2 } }), 2],
    ];
    const [first] = await publishedAt(service, records);
    const again = await publishedAt(service, records);
    expect(again[0]).toMatchObject({ id: first!.id, data: { contact: { profile: { n: 2 }, version: 2 } } });
    expect(contactsOf(again)).toEqual(await storedContacts());
  });

  it('are told as they are stored after data of an older record, which was read again after another partition', async () => {
    const email = { email: 'ada@x.org' };
    const older: Placed[] = [[requested(1, { customer: '1' }, { email_address: email, profile_data: { n: 1 } }), 1]];
    const events = await publishedAt(service, older);
    events.push(...(await publishedAt(service, [[requested(2, email, { profile_data: { n: 2 } }), 1, 1]])));
    const again = await publishedAt(service, older);
    expect(outline(again)).toEqual(['ContactUpserted', 'ContactChanged']);
    expect(again).toMatchObject([
      { data: { contact: { profile: { n: 1 } } } },
      { key: events[0]!.key, data: { contact: { profile: { n: 2 }, version: 2 } } },
    ]);
    expect(contactsOf([...events, ...again])).toEqual(await storedContacts());
  });

  it('can all be made again from the topics of contacts alone', async () => {
    const key = fc.constantFrom<ContactKey>(
      ...CUSTOMERS.map((customer) => ({ customer })),
      ...ADDRESSES.map((email) => ({ email })),
    );
    const message = fc.record({
      key,
      profile_data: fc.option(fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom(1, null, { c: 1 })), {
        nil: undefined,
      }),
      to: fc.option(fc.constantFrom(...ADDRESSES), { nil: undefined }),
    });
    const published = await publishedAt(service, [
      [requested(1, { customer: '1' }), 1],
      [requested(2, { email: 'ada@x.org' }), 2],
      [requested(3, { email: 'bad@x.org' }), 3],
      // Records of one contact in two partitions from now on.
      [requested(4, { customer: '2' }, { email_address: { email: 'eve@x.org' } }), 4],
    ]);
    expect(new Set(outline(published)).size).toBe(4);
    let position = 4;
    const partitionOf = (key: ContactKey) => Number(Object.hasOwn(key, 'email'));
    const batch = fc.record({
      messages: fc.array(message, { minLength: 1, maxLength: 8 }),
      partitionReadAgain: fc.constantFrom(0, 1),
    });
    await fc.assert(
      fc.asyncProperty(batch, async ({ messages, partitionReadAgain }) => {
        const records = messages.map(({ key, profile_data, to }): Placed => {
          position += 1;
          const more = { ...(profile_data && { profile_data }), ...(to && { email_address: { email: to } }) };
          return [requested(position, key, more), position, partitionOf(key)];
        });
        published.push(...(await publishedAt(service, records)));
        const again = records.filter(([, , partition]) => partition === partitionReadAgain);
        if (again.length > 0) published.push(...(await publishedAt(service, again)));
        expect(contactsOf(published)).toEqual(await storedContacts());
      }),
      { numRuns: 60 },
    );
  });
});
