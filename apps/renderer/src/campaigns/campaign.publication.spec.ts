import type { AnyEvent, CampaignLaunched } from '@lettermill/events';
import { LogUnavailable, type EventPublisher } from '@lettermill/log';
import { createLogger } from '@lettermill/runtime';
import { StoreUnavailable } from '@lettermill/storage';
import { openDatabase } from '../../../../libs/storage/src/libsql/testing/database';
import { CampaignPublication } from './campaign.publication';
import { LibsqlCampaignStore } from './campaigns.store.libsql';
import type { CampaignStore } from './campaigns.store';
import { versionOf } from './campaigns.store.contract';

/** Replicas that announce on one log. */
describe('announcing versions that are launched concurrently', () => {
  let opened: Awaited<ReturnType<typeof openDatabase>>;
  let store: LibsqlCampaignStore;
  const log: AnyEvent[] = [];
  const announced = () => log.map(({ data }) => (data as CampaignLaunched).version);

  beforeEach(async () => {
    opened = await openDatabase();
    store = new LibsqlCampaignStore(opened.database);
    await store.migrate();
    log.length = 0;
  });
  afterEach(() => opened.close());

  function replica(
    of: LibsqlCampaignStore,
    beforeAppend: (events: AnyEvent[]) => Promise<void> = () => Promise.resolve(),
  ): CampaignPublication {
    const publish = async (events: AnyEvent[]) => {
      await beforeAppend(events);
      log.push(...events);
    };
    return new CampaignPublication(of, { publish } as unknown as EventPublisher, createLogger('silent'));
  }

  /** Version 1 is appended after version 2, and the replica that appended it dies before it can correct that. */
  async function overtaken(): Promise<void> {
    const [first, second] = [versionOf(), versionOf({ version: 2 })];
    await store.add(first);
    const dying = new LibsqlCampaignStore(opened.database);
    const slow = replica(dying, async () => {
      await store.add(second);
      await replica(store).announce(second);
      const unavailable = () => Promise.reject<never>(new StoreUnavailable('away'));
      dying.latest = dying.markPublished = unavailable;
      dying.unpublished = () => Promise.reject<never>(new Error('dead'));
    });
    await expect(slow.announce(first)).rejects.toThrow('away');
    await slow.onApplicationShutdown();
  }

  it('ends with the newest version, even if the replica that announced an older one after it died', async () => {
    await overtaken();
    expect(announced()).toEqual([2, 1]);
    const next = replica(store);
    next.onApplicationBootstrap();
    while (announced().at(-1) !== 2) await new Promise(setImmediate);
    await next.onApplicationShutdown();
    expect(await store.unpublished()).toEqual([]);
  });

  it('is not held back by a campaign that the log refuses', async () => {
    for (const [id, slug] of ['ab', 'cd']) await store.add(versionOf({ id: id!.repeat(18), slug }));
    let refused: string | undefined;
    const next = replica(store, ([event]) => {
      const { slug } = event!.data as CampaignLaunched;
      refused ??= slug;
      return slug === refused ? Promise.reject(new Error('too large')) : Promise.resolve();
    });
    next.onApplicationBootstrap();
    await next.onApplicationShutdown();
    const left = await store.unpublished();
    expect(left.map(({ launched }) => launched.slug)).toEqual([refused]);
  });

  it('announces the given version, then the newest one if that is another', async () => {
    await store.add(versionOf());
    await store.add(versionOf({ version: 2 }));
    await replica(store).announce(versionOf());
    expect(announced()).toEqual([1, 2]);
    expect(await store.unpublished()).toMatchObject([{ launched: { version: 2 } }]);
  });
});

describe('announcing a version while the log is unavailable', () => {
  let isAnnounced: boolean;
  let announcements: number;
  let isAway: boolean;
  let publication: CampaignPublication;

  beforeEach(() => {
    jest.useFakeTimers();
    [isAnnounced, announcements, isAway] = [false, 0, true];
    const store: Partial<CampaignStore> = {
      unpublished: () => Promise.resolve(isAnnounced ? [] : [versionOf()]),
      latest: () => Promise.resolve(undefined),
      markPublished: () => Promise.resolve(void (isAnnounced = true)),
    };
    const publish = () => {
      announcements += 1;
      return isAway ? Promise.reject(new LogUnavailable('away')) : Promise.resolve();
    };
    const publisher = { publish } as unknown as EventPublisher;
    publication = new CampaignPublication(store as CampaignStore, publisher, createLogger('silent'));
  });
  afterEach(() => jest.useRealTimers());

  it.each([
    ['that was launched', () => publication.announce(versionOf()).catch(() => undefined), 2],
    ['that an earlier process left', () => Promise.resolve(publication.onApplicationBootstrap()), 1],
  ])('goes on until the log is back, for one %s, with pauses', async (_what, begin, atOnce) => {
    await begin();
    await jest.advanceTimersByTimeAsync(0);
    expect(announcements).toBe(atOnce);
    await jest.advanceTimersByTimeAsync(60_000);
    expect([isAnnounced, announcements > atOnce]).toEqual([false, true]);
    isAway = false;
    await jest.advanceTimersByTimeAsync(60_000);
    const inAll = announcements;
    await jest.advanceTimersByTimeAsync(60_000);
    expect([isAnnounced, announcements]).toEqual([true, inAll]);
    await publication.onApplicationShutdown();
  });

  it('keeps no process from ending', async () => {
    publication.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(0);
    await publication.onApplicationShutdown();
    expect([isAnnounced, announcements]).toEqual([false, 1]);
  });
});
