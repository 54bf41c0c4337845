import fc from 'fast-check';
import type { ContactKey, MessageRequested, Shared } from '@lettermill/events';
import { messageId, requested } from '../testing/requested';
import { keyRef, newContact, type StoredContact } from './contact';
import { ContactIndex } from './contact.index';
import { recipientAddress, keysToLookUp, resolveMessage, type MessageToResolve } from './contact.resolve';

/** 256 KiB (docs/send.md 8). */
const MAX_PROFILE_BYTES = 262_144;

let idCount = 0;
const newContext = () => ({ now: 5000, newId: () => `id${(idCount += 1)}` });

function stored(kind: string, value: string, more: Partial<StoredContact> = {}): StoredContact {
  const contact = newContact({ accountId: 'a', kind }, value, `stored-${kind}-${value}`, 1000);
  return { ...contact, version: 4, revision: 'r', ...more };
}

function ask(
  key: ContactKey,
  more: Partial<MessageRequested> = {},
  about: Partial<MessageToResolve> = {},
): MessageToResolve {
  const read = { shared: undefined, refusal: undefined, isCarried: false };
  return { data: requested(1, key, more), place: '0', position: 10, ...read, ...about };
}

function resolve(asked: MessageToResolve, ...contacts: StoredContact[]) {
  const index = new ContactIndex(contacts);
  return { resolution: resolveMessage(asked, index, newContext()), index, changed: index.changed() };
}

const codeOf = ({ refusal }: { refusal?: { reason: { code: string } } }) => refusal?.reason.code;

describe('resolveMessage refuses', () => {
  it('a message to a contact without an address, but saves the contact and its data', () => {
    const { resolution, changed } = resolve(ask({ customer: '7' }, { profile_data: { a: 1 } }));
    expect(codeOf(resolution)).toBe('no_address');
    expect(changed).toMatchObject([{ keys: { customer: '7' }, profile: '{"a":1}', version: 1, applied: { 0: 10 } }]);
  });

  it('an unknown contact id, and makes no contact of it', () => {
    const { resolution, changed } = resolve(ask({ id: 'unknown' }, { email_address: { email: 'a@x.org' } }));
    expect([codeOf(resolution), changed]).toEqual(['contact_not_found', []]);
  });

  it('a profile that would exceed the limit, and leaves the contact unchanged', () => {
    const contact = stored('email', 'ada@x.org', {
      profile: JSON.stringify({ old: 'x'.repeat(MAX_PROFILE_BYTES - 100) }),
    });
    const { resolution, changed } = resolve(
      ask({ email: 'ada@x.org' }, { profile_data: { n: 'é'.repeat(50) } }),
      contact,
    );
    expect([codeOf(resolution), changed]).toEqual(['profile_too_large', []]);
  });

  it('a profile one byte over the limit, but not one of exactly the limit', () => {
    const frame = '{"old":""}'.length;
    const contact = stored('email', 'ada@x.org');
    const fits = ask({ email: 'ada@x.org' }, { profile_data: { old: 'x'.repeat(MAX_PROFILE_BYTES - frame) } });
    expect(codeOf(resolve(fits, contact).resolution)).toBeUndefined();
    const over = ask({ email: 'ada@x.org' }, { profile_data: { old: 'x'.repeat(MAX_PROFILE_BYTES - frame + 1) } });
    expect(codeOf(resolve(over, contact).resolution)).toBe('profile_too_large');
  });

  it('no message that adds nothing to a profile, even if that is over the limit', () => {
    const contact = stored('email', 'ada@x.org', { profile: JSON.stringify({ old: 'x'.repeat(MAX_PROFILE_BYTES) }) });
    expect(codeOf(resolve(ask({ email: 'ada@x.org' }), contact).resolution)).toBeUndefined();
  });

  it('a message whose shared part is lost, and leaves the contact unchanged', () => {
    const { resolution, changed } = resolve(ask({ email: 'ada@x.org' }, {}, { shared: 'lost' }));
    expect([codeOf(resolution), changed]).toEqual(['content_lost', []]);
  });

  it('a message that was refused before, whatever it would decide now', () => {
    const refusal = { reason: { code: 'no_address' as const, detail: '' }, address: null };
    const contact = stored('email', 'ada@x.org', { applied: { 0: 10 } });
    expect(codeOf(resolve(ask({ email: 'ada@x.org' }, {}, { refusal }), contact).resolution)).toBe('no_address');
    // The contact was not saved then: it gets the data now.
    const asked = ask({ email: 'ada@x.org' }, { profile_data: { a: 1 } }, { refusal });
    const again = resolve(asked, stored('email', 'ada@x.org'));
    expect([codeOf(again.resolution), again.changed]).toMatchObject(['no_address', [{ profile: '{"a":1}' }]]);
  });

  it.each(['profile_too_large', 'content_lost', 'contact_not_found'] as const)(
    'a message that was refused before for %s, and leaves the contact unchanged',
    (code) => {
      const refusal = { reason: { code, detail: '' }, address: null };
      const asked = ask({ email: 'ada@x.org' }, { profile_data: { a: 1 } }, { refusal });
      const again = resolve(asked, stored('email', 'ada@x.org'));
      expect([codeOf(again.resolution), again.changed]).toEqual([code, []]);
    },
  );
});

describe('resolveMessage finds', () => {
  it.each([
    [{ email: 'ADA@x.org' }, stored('email', 'Ada@X.org')],
    [{ email: 'ada@xn--bcher-kva.example' }, stored('email', 'Ada@BÜCHER.example')],
    [{ sms: '+4412' }, stored('sms', '+4412', { email: 'ada@x.org' })],
    [{ constructor: 'k' }, stored('constructor', 'k', { email: 'ada@x.org' })],
    [{ id: 'stored-sms-+4412' }, stored('sms', '+4412', { email: 'ada@x.org' })],
  ] as [ContactKey, StoredContact][])('the contact of %j', (key, contact) => {
    const { resolution, changed } = resolve(ask(key), contact);
    expect(resolution.contact?.id).toBe(contact.id);
    expect(changed).toMatchObject([{ id: contact.id, revision: 'r', version: 4, updatedAt: 1000, applied: { 0: 10 } }]);
  });

  it('no contact of another account, nor one whose custom key differs in case', () => {
    const others = [{ ...stored('email', 'ada@x.org'), accountId: 'b' }, stored('customer', 'abc')];
    expect(resolve(ask({ email: 'ada@x.org' }), ...others).resolution.contact).toMatchObject({ revision: null });
    expect(resolve(ask({ customer: 'ABC' }), ...others).resolution.contact).toMatchObject({ revision: null });
  });

  it('the contact that it made earlier in the same batch', () => {
    const index = new ContactIndex([]);
    const first = resolveMessage(ask({ email: 'ada@x.org' }, { profile_data: { a: 1 } }), index, newContext());
    const other = { profile_data: { b: 2 }, message_id: messageId(2) };
    const next = ask({ email: 'ADA@x.org' }, other, { position: 11 });
    const second = resolveMessage(next, index, newContext());
    expect(second.contact).toMatchObject({ id: first.contact!.id, version: 2, profile: '{"a":1,"b":2}' });
    expect(index.changed()).toHaveLength(1);
  });
});

describe('resolveMessage merges', () => {
  const shared: Shared = { profile_data: { plan: 'request', tier: { a: 1 } } };

  it('recipient over request over stored data', () => {
    const contact = stored('email', 'ada@x.org', { profile: '{"plan":"stored","old":true,"tier":{"b":2}}' });
    const { resolution } = resolve(ask({ email: 'ada@x.org' }, { profile_data: { plan: 'own' } }, { shared }), contact);
    expect(resolution.contact?.profile).toBe('{"plan":"own","old":true,"tier":{"b":2,"a":1}}');
    expect(resolution.contact).toMatchObject({ version: 5, updatedAt: 5000 });
    expect(contact.profile).toBe('{"plan":"stored","old":true,"tier":{"b":2}}');
  });

  it('nothing if the data equal what is stored: the version stays, the position is noted', () => {
    const contact = stored('email', 'ada@x.org', { profile: '{"a":1}' });
    const { changed } = resolve(ask({ email: 'ada@x.org' }, { profile_data: { a: 1 } }), contact);
    expect(changed).toMatchObject([{ version: 4, updatedAt: 1000, applied: { 0: 10 } }]);
  });

  it('no email or number into the custom keys of a new contact', () => {
    const keys: ContactKey[] = [{ email: 'ada@x.org' }, { sms: '+4412' }, { customer: '7' }];
    const made = keys.map((key) => resolve(ask(key)).changed[0]!.keys);
    expect(made).toEqual([{}, {}, { customer: '7' }]);
  });

  it('no data into a new contact, which gets version 1', () => {
    const { changed } = resolve(ask({ email: 'ada@x.org' }));
    expect(changed).toMatchObject([{ version: 1, profile: '{}', revision: null }]);
  });

  it('nothing at a position that was already applied, but gives the message its own data', () => {
    const contact = stored('email', 'ada@x.org', { applied: { 0: 10, 1: 3 }, profile: '{"a":2,"b":2}' });
    for (const position of [10, 9, 0]) {
      const { resolution, changed } = resolve(
        ask({ email: 'ada@x.org' }, { profile_data: { a: 1 } }, { position }),
        contact,
      );
      expect(resolution).toMatchObject({
        known: contact,
        to: { email: 'ada@x.org' },
        contact: { profile: '{"a":1,"b":2}', version: 4 },
      });
      expect(changed).toEqual([]);
    }
  });

  it('the record at position 0 of a partition', () => {
    const first = ask({ email: 'ada@x.org' }, { profile_data: { a: 1 } }, { position: 0 });
    const { changed } = resolve(first, stored('email', 'ada@x.org', { applied: { 7: 3 } }));
    expect(changed).toMatchObject([{ profile: '{"a":1}', applied: { 0: 0, 7: 3 } }]);
  });

  it('a record of another partition, and keeps the positions of both', () => {
    const contact = stored('email', 'ada@x.org', { applied: { 0: 10 } });
    const asked = ask(
      { email: 'ada@x.org' },
      { profile_data: { a: 1 } },
      { place: 'message-requested-high/0', position: 2 },
    );
    expect(resolve(asked, contact).changed).toMatchObject([
      { profile: '{"a":1}', applied: { 0: 10, 'message-requested-high/0': 2 } },
    ]);
  });

  it('each record once, from wherever a partition is read again', () => {
    const data = fc.dictionary(fc.constantFrom('a', 'b'), fc.integer({ min: 0, max: 5 }));
    fc.assert(
      fc.property(fc.array(data, { maxLength: 6 }), fc.nat(), (records, again) => {
        const index = new ContactIndex([]);
        const run = (from: number) =>
          records.slice(from).forEach((profile_data, at) => {
            const position = from + at;
            resolveMessage(ask({ email: 'ada@x.org' }, { profile_data }, { position }), index, newContext());
          });
        run(0);
        const before = JSON.stringify(index.changed());
        run(records.length === 0 ? 0 : again % records.length);
        expect(JSON.stringify(index.changed())).toBe(before);
      }),
    );
  });
});

describe('the address of a message', () => {
  const contact = stored('customer', '7', { email: 'stored@x.org' });

  it('is the one given, else that of the key, else that of the contact', () => {
    const email_address = { email: 'given@x.org' };
    expect(recipientAddress(requested(1, { email: 'Key@x.org' }, { email_address }), contact)?.email).toBe(
      'given@x.org',
    );
    expect(recipientAddress(requested(1, { email: 'Key@x.org' }), contact)?.email).toBe('Key@x.org');
    expect(recipientAddress(requested(1, { customer: '7' }), contact)?.email).toBe('stored@x.org');
    expect(recipientAddress(requested(1, { customer: '7' }), { ...contact, email: null })).toBeUndefined();
  });

  it('has the name given with the address, else the one given with the key', () => {
    const named = { email: 'given@x.org', name: 'Given' };
    expect(
      recipientAddress(requested(1, { email: 'k@x.org' }, { name: 'Key', email_address: named }), contact)?.name,
    ).toBe('Given');
    expect(recipientAddress(requested(1, { email: 'k@x.org' }, { name: 'Key' }), contact)?.name).toBe('Key');
    expect(recipientAddress(requested(1, { email: 'k@x.org' }), contact)).toEqual({ email: 'k@x.org' });
  });
});

describe('the email of a contact', () => {
  const email_address = { email: 'Ada@x.org' };

  it('is set by a message if it has none', () => {
    const { changed } = resolve(ask({ customer: '7' }, { email_address }), stored('customer', '7'));
    expect(changed).toMatchObject([{ email: 'Ada@x.org', version: 5 }]);
  });

  it('is kept if it has one', () => {
    const { changed } = resolve(
      ask({ customer: '7' }, { email_address }),
      stored('customer', '7', { email: 'b@x.org' }),
    );
    expect(changed).toMatchObject([{ email: 'b@x.org', version: 4 }]);
  });

  it('is not set if another contact has it, even one of the same batch', () => {
    const { resolution, changed } = resolve(
      ask({ customer: '7' }, { email_address }),
      stored('customer', '7'),
      stored('email', 'ADA@x.org'),
    );
    expect(resolution).toMatchObject({ to: { email: 'Ada@x.org' } });
    expect(changed).toMatchObject([{ keys: { customer: '7' }, email: null }]);
    const index = new ContactIndex([]);
    resolveMessage(ask({ email: 'ada@x.org' }), index, newContext());
    const second = resolveMessage(ask({ customer: '7' }, { email_address }, { position: 11 }), index, newContext());
    expect(second.contact?.email).toBeNull();
  });

  it('is looked up together with the key', () => {
    expect(keysToLookUp(requested(1, { customer: '7' }, { email_address }))).toEqual([
      keyRef('a', 'customer', '7'),
      { accountId: 'a', kind: 'email', value: 'ada@x.org' },
    ]);
  });
});
