import type { RecordBatch } from '../log.port';
import { Inbox, textRecord } from '../testing/inbox';
import { LogWorkspace } from '../testing/disk';

const TOPIC = 'topic';
/** Longer than any test has. */
const NEVER_MS = 3_600_000;
const workshop = new LogWorkspace();
beforeEach(() => workshop.begin());
afterEach(() => workshop.end());

describe('a stream of small batches', () => {
  /** The first batch has `count` records; while it is handled, one more comes. */
  async function afterBatchOf(count: number, more = 1) {
    const log = await workshop.open({ gatherMs: NEVER_MS });
    const inbox = new Inbox();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const onBatch = (batch: RecordBatch) => inbox.take(batch).then(() => held);
    const subscription = await log.subscribe({ group: 'g', topics: [TOPIC], onBatch });
    const add = (values: string[]) => log.append(values.map((value) => textRecord(TOPIC, 'k', value)));
    await add(Array.from({ length: count }, (_, n) => String(n)));
    await inbox.waitFor(count);
    if (more > 0) await add(['during']);
    release();
    return { inbox, subscription, add };
  }

  const secondBatch = ({ batches }: Inbox) => batches[1]?.records.map(({ value }) => String(value));

  it('is gathered: the next records form one batch', async () => {
    const { inbox, subscription, add } = await afterBatchOf(5);
    await add(['after']);
    expect(inbox.batches).toHaveLength(1);
    expect(await subscription.caughtUp(NEVER_MS)).toBe(true);
    expect(secondBatch(inbox)).toEqual(['during', 'after']);
  });

  it('is not gathered while the load is light', async () => {
    const { inbox } = await afterBatchOf(3);
    await inbox.waitFor(4);
    expect(secondBatch(inbox)).toEqual(['during']);
  });

  it('is not gathered where batches are large anyway', async () => {
    const { inbox } = await afterBatchOf(32);
    await inbox.waitFor(33);
    expect(secondBatch(inbox)).toEqual(['during']);
  });

  it('is not gathered when nothing arrived while the batch was handled', async () => {
    const { inbox, subscription, add } = await afterBatchOf(5, 0);
    await subscription.caughtUp(NEVER_MS);
    await add(['later']);
    await inbox.waitFor(6);
    expect(secondBatch(inbox)).toEqual(['later']);
  });

  it('is not waited for by a reader that is closed', async () => {
    const { inbox, subscription } = await afterBatchOf(5);
    await subscription.close();
    expect(inbox.batches).toHaveLength(1);
  });
});
