import { NO_MESSAGE } from './suppression';
import { bounced, entry } from './suppressions.causes.contract';
import type { Suppression, SuppressionsStore } from './suppressions.store';

const ref = { accountId: 'a', address: 'x@example.com' };

/** How an adapter keeps an address suppressed that somebody suppressed by hand, whatever comes and goes beside it; part of the contract. */
export function manualContract(opened: () => SuppressionsStore): void {
  describe('for an address that was suppressed by hand', () => {
    let store: SuppressionsStore;
    beforeEach(() => {
      store = opened();
    });
    const because = (reason: string, at: number, messageId = 'm1') => ({
      ...bounced(ref.address, at, messageId),
      reason,
    });
    const manual = because('manual', 2, NO_MESSAGE);
    const left = because('unsubscribed', 1, 'm0');
    const bounce = because('mailbox_unknown', 3);
    const complaint = because('complained', 4, 'm2');
    const shown = async () => (await store.find([ref]))[0];
    const listed = async (reason: string) => (await store.list('a', 10, null, reason)).length;

    it.each<[string, Suppression[][]]>([
      ['a complaint', [[manual], [complaint]]],
      ['a bounce', [[manual], [bounce]]],
      ['a complaint before it', [[complaint], [manual]]],
      ['a bounce before it', [[bounce], [manual]]],
      ['a bounce and a complaint', [[manual], [bounce], [complaint]]],
      ['all of them in one call', [[complaint, manual, bounce]]],
    ])('shows it when what is stronger is released: %s', async (_, calls) => {
      for (const causes of calls) await store.add(causes);
      const { reason } = (await shown())!;
      expect(reason).toBe(calls.flat().includes(complaint) ? 'complained' : 'mailbox_unknown');
      expect(await shown()).toMatchObject({ manualAt: 2, unsubscribedAt: null });
      expect([await listed(reason), await listed('manual')]).toEqual([1, 0]);
      expect(await store.release(ref, 5, 'manual')).toBe(false);
      expect(await store.release(ref, 6, reason)).toBe(true);
      expect(await shown()).toEqual(entry(manual, null, 2));
      expect([await listed(reason), await listed('manual')]).toEqual([0, 1]);
      expect(await store.release(ref, 7, 'manual')).toBe(true);
      expect(await shown()).toBeUndefined();
    });

    it.each<[string, Suppression[]]>([
      ['in the order of their times', [left, manual, bounce, complaint]],
      ['in reverse order', [complaint, bounce, manual, left]],
      ['the unsubscription last', [manual, bounce, complaint, left]],
      ['the manual one last', [left, complaint, bounce, manual]],
    ])('shows one after the other as each is released, the strongest first: %s', async (_, causes) => {
      for (const cause of causes) await store.add([cause]);
      expect(await shown()).toEqual(entry(complaint, 1, 2));
      expect(await store.release(ref, 5)).toBe(true);
      expect(await shown()).toEqual(entry(manual, 1, 2));
      expect(await store.release(ref, 6)).toBe(true);
      expect(await shown()).toEqual(entry(left, 1));
      expect(await store.release(ref, 7)).toBe(true);
      expect(await shown()).toBeUndefined();
      expect(await store.release(ref, 8)).toBe(false);
    });

    it('keeps the first time, and takes a later one after a release', async () => {
      await store.add([manual]);
      await store.add([complaint, { ...manual, at: 5 }]);
      expect(await shown()).toEqual(entry(complaint, null, 2));
      await store.release(ref, 6);
      await store.release(ref, 7);
      await store.add([{ ...complaint, at: 8 }]);
      await store.add([{ ...manual, at: 7 }]);
      expect(await shown()).toEqual(entry({ ...complaint, at: 8 }));
      await store.add([{ ...manual, at: 9 }]);
      expect(await shown()).toEqual(entry({ ...complaint, at: 8 }, null, 9));
    });
  });
}
