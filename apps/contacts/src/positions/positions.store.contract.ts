import type { AppliedPosition } from './positions';
import type { Place } from './record.place';
import type { PositionsStore } from './positions.store';

export interface OpenPositionsStore {
  store: PositionsStore;
  close(): Promise<void>;
}

const at = (place: Place, position: number): AppliedPosition => ({
  place,
  position,
  eventId: `event-${place}-${position}`,
});

/** The suite that every adapter of the positions store runs; `open` makes a fresh, migrated one. */
export function positionsStoreContract(open: () => Promise<OpenPositionsStore>): void {
  let opened: OpenPositionsStore;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(() => opened.close());

  const all = async () => (await opened.store.load()).sort((one, other) => (one.place < other.place ? -1 : 1));

  it('is empty at first, and accepts an empty call', async () => {
    await opened.store.advance([]);
    expect(await all()).toEqual([]);
  });

  it('keeps the position of each partition', async () => {
    await opened.store.advance([at('0', 0), at('message-requested-high/0', 2 ** 40)]);
    await opened.store.advance([at('3', 5)]);
    expect(await all()).toEqual([at('0', 0), at('3', 5), at('message-requested-high/0', 2 ** 40)]);
  });

  it('only moves positions forward, whatever else is in the call', async () => {
    await opened.store.advance([at('0', 5), at('1', 5)]);
    await opened.store.advance([{ ...at('0', 5), eventId: 'late' }, at('1', 6), at('2', 1)]);
    await opened.store.advance([at('0', 4)]);
    expect(await all()).toEqual([at('0', 5), at('1', 6), at('2', 1)]);
  });

  it('keeps the furthest of concurrent positions', async () => {
    await Promise.all(
      [3, 9, 1, 7].map((position) => opened.store.advance([at('0', position), at('1', 10 - position)])),
    );
    expect(await all()).toEqual([at('0', 9), at('1', 9)]);
  });

  it('forgets all positions, and begins anew', async () => {
    await opened.store.advance([at('0', 5), at('1', 5)]);
    await opened.store.forget();
    expect(await all()).toEqual([]);
    await opened.store.advance([at('0', 1)]);
    expect(await all()).toEqual([at('0', 1)]);
  });
}
