import { keyRef, newContact, type StoredContact } from './contact';
import type { ContactsStore } from './contacts.store';

export interface OpenContactsStore {
  store: ContactsStore;
  close(): Promise<void>;
}

let made = 0;

function someContact(kind: string, value: string, more: Partial<StoredContact> = {}): StoredContact {
  made += 1;
  const id = `contact${String(made).padStart(11, '0')}`;
  return { ...newContact({ accountId: 'a', kind }, value, id, 1000), version: 1, ...more };
}

const ids = (contacts: StoredContact[]) => contacts.map(({ id }) => id).sort();

/** The suite that every adapter of the contacts store runs; `open` makes a fresh, migrated one. */
export function contactsStoreContract(open: () => Promise<OpenContactsStore>): void {
  let opened: OpenContactsStore;
  let store: ContactsStore;
  const one = async (kind: string, value: string, accountId = 'a') =>
    (await store.load([keyRef(accountId, kind, value)]))[0];

  beforeEach(async () => {
    opened = await open();
    store = opened.store;
  });
  afterEach(() => opened.close());

  it('finds nothing in an empty store, and accepts an empty save', async () => {
    expect(await store.load([])).toEqual([]);
    expect(await store.load([keyRef('a', 'email', 'x@example.com'), keyRef('a', 'id', 'nobody')])).toEqual([]);
    expect(await store.save([])).toEqual([]);
  });

  it('returns what was saved, by every key and by id', async () => {
    const profile = '{"__proto__":{"a":1},"n":null,"t":"é\\u0000\\""}';
    const contact = someContact('customer', 'Ü "4" \u{1F600}', {
      email: 'Ada@Example.com',
      sms: '+441234',
      profile,
      applied: { 0: 3, 7: 12 },
      merged: ['message00000000001 000000000000'],
    });
    expect(await store.save([contact])).toEqual([]);
    const refs = [
      keyRef('a', 'customer', 'Ü "4" \u{1F600}'),
      keyRef('a', 'email', 'ADA@example.COM'),
      keyRef('a', 'sms', '+441234'),
      keyRef('a', 'id', contact.id),
    ];
    const [found, ...others] = await store.load(refs);
    expect(others).toEqual([]);
    expect({ ...found, revision: null }).toEqual(contact);
    for (const ref of refs) expect((await store.load([ref]))[0]?.id).toBe(contact.id);
  });

  it('accepts names of prototype members as custom keys', async () => {
    const contact = someContact('constructor', 'x');
    await store.save([contact]);
    expect((await one('constructor', 'x'))?.keys).toEqual({ constructor: 'x' });
    expect(await one('toString', 'x')).toBeUndefined();
  });

  it('matches custom keys exactly, and keeps accounts apart', async () => {
    const ours = someContact('customer', 'abc');
    const theirs = { ...someContact('customer', 'abc'), accountId: 'b' };
    expect(await store.save([ours, theirs])).toEqual([]);
    expect(await one('customer', 'ABC')).toBeUndefined();
    expect((await one('customer', 'abc', 'b'))?.id).toBe(theirs.id);
    expect(await one('id', theirs.id, 'a')).toBeUndefined();
    // The id of a contact may be a key of another one.
    expect(await one('customer', ours.id)).toBeUndefined();
  });

  it('refuses to overwrite a concurrent change', async () => {
    await store.save([someContact('email', 'ada@example.com')]);
    const seen = (await one('email', 'ada@example.com'))!;
    expect(await store.save([{ ...seen, profile: '{"by":"first"}' }])).toEqual([]);
    expect(await store.save([{ ...seen, profile: '{"by":"second"}' }])).toEqual([seen.id]);
    expect((await one('email', 'ada@example.com'))?.profile).toBe('{"by":"first"}');
  });

  it('refuses a second contact with a key that is taken, and saves the others', async () => {
    const first = someContact('email', 'Ada@example.com');
    await store.save([first]);
    const twin = someContact('email', 'ada@EXAMPLE.com');
    const other = someContact('email', 'grace@example.com');
    expect(await store.save([twin, other])).toEqual([twin.id]);
    expect(ids(await store.load([twin, other].map(({ id }) => keyRef('a', 'id', id))))).toEqual([other.id]);
    expect((await one('email', 'ada@example.com'))?.id).toBe(first.id);
  });

  it('refuses the second of two contacts with one key in one call, and a new contact whose id exists', async () => {
    const [first, twin] = [someContact('sms', '+4912'), someContact('sms', '+4912')];
    expect(await store.save([first, twin])).toEqual([twin.id]);
    expect(await store.save([first])).toEqual([first.id]);
  });

  it('adds a key to a contact, and refuses one that another contact has', async () => {
    await store.save([someContact('customer', '1'), someContact('customer', '2')]);
    const [first, second] = [(await one('customer', '1'))!, (await one('customer', '2'))!];
    expect(await store.save([{ ...first, email: 'ada@example.com' }])).toEqual([]);
    expect((await one('email', 'ada@example.com'))?.id).toBe(first.id);
    const late = { ...second, email: 'ADA@example.com', profile: '{"late":true}' };
    expect(await store.save([late])).toEqual([second.id]);
    expect(await one('customer', '2')).toMatchObject({ email: null, profile: '{}' });
  });

  it('adds no key if the save is refused because of a concurrent change', async () => {
    await store.save([someContact('customer', '1')]);
    const seen = (await one('customer', '1'))!;
    await store.save([{ ...seen, profile: '{"by":"first"}' }]);
    await store.save([{ ...seen, email: 'ada@example.com' }]);
    expect(await one('email', 'ada@example.com')).toBeUndefined();
  });

  it('forgets which records all contacts have, and nothing else of them', async () => {
    await store.forgetApplied();
    const applied = { 0: 3, 7: 12 };
    const has = { applied, merged: ['message00000000001 000000000000'] };
    const many = Array.from({ length: 1_100 }, (_, index) => someContact('customer', `n${index}`, has));
    const other = { ...someContact('sms', '+4912', { applied }), accountId: 'b' };
    expect(await store.save([...many, other])).toEqual([]);
    const seen = (await one('customer', 'n7'))!;
    await store.forgetApplied();
    await store.forgetApplied();
    const refs = many.map((_, index) => keyRef('a', 'customer', `n${index}`));
    const none = { applied: {}, merged: [] };
    for (const left of await store.load([...refs, keyRef('b', 'sms', '+4912')])) expect(left).toMatchObject(none);
    expect({ ...(await one('customer', 'n7')), revision: null }).toEqual({ ...seen, ...none, revision: null });
    expect(await store.save([{ ...seen, profile: '{"late":true}' }])).toEqual([seen.id]);
    expect(await store.save([{ ...(await one('customer', 'n7'))!, applied: { 0: 0 } }])).toEqual([]);
    expect((await one('customer', 'n7'))?.applied).toEqual({ 0: 0 });
  });

  it('loads contacts only if their profiles fit in the given number of bytes', async () => {
    const profile = JSON.stringify({ text: 'ä'.repeat(500) });
    const many = Array.from({ length: 8 }, (_, index) => someContact('customer', `n${index}`, { profile }));
    await store.save(many);
    const bytes = 8 * Buffer.byteLength(profile);
    const keys = many.map((_, index) => keyRef('a', 'customer', `n${index}`));
    for (const refs of [keys, many.map(({ id }) => keyRef('a', 'id', id))]) {
      expect(ids((await store.loadWithin(refs, bytes))!)).toEqual(ids(many));
      expect(await store.loadWithin(refs, bytes - 1)).toBeUndefined();
    }
    expect(await store.loadWithin([keyRef('a', 'customer', 'nobody')], 0)).toEqual([]);
  });

  it('loads and saves many at once', async () => {
    const many = Array.from({ length: 300 }, (_, index) => someContact('customer', `n${index}`));
    expect(await store.save(many)).toEqual([]);
    const loaded = await store.load(many.map((_, index) => keyRef('a', 'customer', `n${index}`)));
    expect(ids(loaded)).toEqual(ids(many));
  });
}
