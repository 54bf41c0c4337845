import fc from 'fast-check';
import { added, released, shown, type SuppressionModel } from '../testing/suppressions.model';
import { NO_MESSAGE } from './suppression';
import {
  bounced,
  complaintsContract,
  entry,
  rememberedEventsContract,
  type OpenSuppressionsStore,
} from './suppressions.causes.contract';
import { manualContract } from './suppressions.manual.contract';
import type { SuppressionsStore } from './suppressions.store';

/** The suite that every adapter of the suppressions store runs; `open` makes a fresh, migrated one. */
export function suppressionsStoreContract(open: () => Promise<OpenSuppressionsStore>): void {
  let opened: OpenSuppressionsStore;
  let store: SuppressionsStore;
  const ref = { accountId: 'a', address: 'x@example.com' };

  beforeEach(async () => {
    opened = await open();
    store = opened.store;
  });
  afterEach(() => opened.close());

  complaintsContract(() => store);
  manualContract(() => store);
  rememberedEventsContract(() => store);

  it('finds nothing in an empty store, and accepts an empty call', async () => {
    await store.add([]);
    expect(await store.find([])).toEqual([]);
    expect(await store.find([ref])).toEqual([]);
    expect(await store.list('a', 10, null)).toEqual([]);
    expect(await store.release(ref, 1)).toBe(false);
  });

  it('finds what was added, in that account only', async () => {
    const all = [bounced('x@example.com', 1), bounced('y@example.com', 2, 'm2', 'b')];
    await store.add(all);
    const refs = ['x@example.com', 'y@example.com'].map((address) => ({ accountId: 'b', address }));
    expect(await store.find(refs)).toEqual([entry(all[1]!)]);
    expect(await store.list('a', 10, null)).toEqual([entry(all[0]!)]);
  });

  it('keeps the first cause of an address, also within one call', async () => {
    await store.add([bounced('x@example.com', 1, 'm1'), bounced('x@example.com', 2, 'm2')]);
    await store.add([bounced('x@example.com', 3, 'm3')]);
    expect(await store.find([ref])).toEqual([entry(bounced('x@example.com', 1, 'm1'))]);
  });

  it('releases an address once; only a later bounce suppresses it again', async () => {
    await store.add([bounced('x@example.com', 1)]);
    expect(await store.release({ ...ref, accountId: 'b' }, 5)).toBe(false);
    expect(await store.release(ref, 5)).toBe(true);
    expect(await store.release(ref, 6)).toBe(false);
    await store.add([bounced('x@example.com', 1)]);
    expect(await store.find([ref])).toEqual([]);
    expect(await store.list('a', 10, null)).toEqual([]);
    await store.add([bounced('x@example.com', 6, 'm2')]);
    expect(await store.find([ref])).toEqual([entry(bounced('x@example.com', 6, 'm2'))]);
  });

  describe('for an address that unsubscribed', () => {
    const left = { ...bounced('x@example.com', 2, 'm0'), reason: 'unsubscribed' };
    const bounce = bounced('x@example.com', 3);
    const shown = async () => (await store.find([ref]))[0];

    it('keeps the first unsubscription', async () => {
      await store.add([left]);
      await store.add([{ ...left, at: 3, messageId: 'm9' }]);
      expect(await shown()).toEqual(entry(left, 2));
    });

    it.each([
      ['after', [left, bounce]],
      ['before', [bounce, left]],
    ])('shows a bounce rather than the unsubscription, if added %s it', async (_, causes) => {
      for (const cause of causes) await store.add([cause]);
      const more = entry(bounce, 2);
      expect(await shown()).toEqual(more);
      await store.add([
        { ...left, at: 4, messageId: 'm9' },
        { ...bounce, at: 4, messageId: 'm9' },
      ]);
      expect(await shown()).toEqual(more);
      expect(await store.list('a', 10, null)).toEqual([more]);
    });

    it.each([
      ['', [left, bounce]],
      [', in reverse order', [bounce, left]],
    ])('accepts both in one call%s', async (_, causes) => {
      await store.add(causes);
      expect(await shown()).toEqual(entry(bounce, 2));
    });

    it('keeps the unsubscription when the bounce is released, and releases it the next time', async () => {
      await store.add([left]);
      await store.add([bounce]);
      expect(await store.release(ref, 5)).toBe(true);
      expect(await shown()).toEqual(entry(left, 2));
      expect(await store.list('a', 10, null)).toEqual([entry(left, 2)]);
      expect(await store.release(ref, 6)).toBe(true);
      expect(await shown()).toBeUndefined();
      expect(await store.release(ref, 7)).toBe(false);
    });

    it('keeps the unsubscription when the bounce is released twice by its reason, as by a call whose answer was lost', async () => {
      await store.add([left]);
      await store.add([bounce]);
      expect(await store.release(ref, 5, 'complained')).toBe(false);
      expect(await shown()).toEqual(entry(bounce, 2));
      expect(await store.release(ref, 6, 'mailbox_unknown')).toBe(true);
      expect(await store.release(ref, 7, 'mailbox_unknown')).toBe(false);
      expect(await shown()).toEqual(entry(left, 2));
      expect(await store.release(ref, 8, 'unsubscribed')).toBe(true);
      expect(await shown()).toBeUndefined();
    });

    it('ignores a bounce from before a release, and counts later ones', async () => {
      await store.add([left]);
      await store.add([bounce]);
      await store.release(ref, 5);
      await store.add([bounce, { ...bounce, at: 5 }]);
      expect(await shown()).toEqual(entry(left, 2));
      const later = { ...bounce, at: 6, messageId: 'm6' };
      await store.add([later]);
      expect(await shown()).toEqual(entry(later, 2));
      await store.release(ref, 7);
      await store.release(ref, 8);
      await store.add([{ ...left, at: 9 }, later]);
      expect(await shown()).toEqual(entry({ ...left, at: 9 }, 9));
    });

    it('forgets the unsubscription once it is released', async () => {
      await store.add([left]);
      await store.release(ref, 5);
      await store.add([{ ...bounce, at: 6 }]);
      expect(await shown()).toEqual(entry({ ...bounce, at: 6 }));
      await store.release(ref, 7);
      expect(await shown()).toBeUndefined();
    });
  });

  it('agrees with the model whatever is added and released, one by one or together', async () => {
    const reason = fc.constantFrom('mailbox_unknown', 'complained', 'unsubscribed', 'manual');
    const cause = fc.record({
      at: fc.integer({ min: 1, max: 12 }),
      reason,
      messageId: fc.constantFrom('m1', 'm2', 'm3'),
      eventId: fc.option(fc.constantFrom('e1', 'e2', 'e3', 'e4'), { nil: undefined }),
    });
    const step = fc.oneof(
      fc.array(cause, { minLength: 1, maxLength: 4 }).map((causes) => ({ causes })),
      fc.record({ releasedAt: fc.integer({ min: 1, max: 12 }), only: fc.option(reason, { nil: undefined }) }),
    );
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const one = { accountId: 'a', address: `run${(run += 1)}@example.com` };
        let model: SuppressionModel | undefined;
        for (const what of steps) {
          if ('causes' in what) {
            const ofCall = { messageId: NO_MESSAGE };
            const causes = what.causes.map((cause) => ({ ...one, ...cause, ...(cause.reason === 'manual' && ofCall) }));
            await store.add(causes);
            model = causes.reduce<SuppressionModel | undefined>(added, model);
          } else {
            const { releasedAt, only } = what;
            const before = shown(model);
            const isShown = before !== undefined && before.reason === (only ?? before.reason);
            expect(await store.release(one, releasedAt, only)).toBe(isShown);
            model = released(model, releasedAt, only);
          }
          expect((await store.find([one]))[0]).toEqual(shown(model));
        }
      }),
      { numRuns: 120 },
    );
  });

  it('lists newest first, page by page, also if times are equal', async () => {
    const all = [bounced('c@x.org', 3), bounced('b@x.org', 2), bounced('a@x.org', 2), bounced('d@x.org', 1)];
    await store.add([...all].reverse());
    expect(await store.list('a', 2, null)).toEqual(all.slice(0, 2).map((one) => entry(one)));
    expect(await store.list('a', 2, { at: 2, address: 'b@x.org' })).toEqual(all.slice(2).map((one) => entry(one)));
    expect(await store.list('a', 2, { at: 1, address: 'd@x.org' })).toEqual([]);
  });

  it('lists those of one reason in the same order, by what each address shows now', async () => {
    const of = (reason: string, address: string, at: number) => ({ ...bounced(address, at), reason });
    const left = ['a@x.org', 'b@x.org', 'c@x.org'].map((address) => of('unsubscribed', address, 2));
    const others = [of('complained', 'd@x.org', 3), { ...left[0]!, accountId: 'b' }];
    await store.add([...left, ...others]);
    const by = async (reason: string, limit = 9, after: { at: number; address: string } | null = null) =>
      (await store.list('a', limit, after, reason)).map(({ address }) => address);
    expect(await by('unsubscribed', 2)).toEqual(['c@x.org', 'b@x.org']);
    expect(await by('unsubscribed', 2, { at: 2, address: 'b@x.org' })).toEqual(['a@x.org']);
    expect(await by('manual')).toEqual([]);
    await store.add([of('complained', 'b@x.org', 4)]);
    expect(await by('unsubscribed')).toEqual(['c@x.org', 'a@x.org']);
    expect(await by('complained')).toEqual(['b@x.org', 'd@x.org']);
    await store.release({ accountId: 'a', address: 'b@x.org' }, 5);
    await store.release({ accountId: 'a', address: 'd@x.org' }, 5);
    expect(await by('complained')).toEqual([]);
    expect(await by('unsubscribed')).toEqual(['c@x.org', 'b@x.org', 'a@x.org']);
  });
}
