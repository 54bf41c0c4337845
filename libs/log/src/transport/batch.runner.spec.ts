import { TOPICS } from '@lettermill/events';
import { SILENT } from '../log.lines';
import { Workshop } from '../testing/disk';
import { BatchRunner } from './batch.runner';

describe('poison', () => {
  const workshop = new Workshop();
  beforeEach(() => workshop.begin());
  afterEach(() => workshop.end());

  it('with as many headers as a record may have becomes a dead letter, and stops nothing', async () => {
    const log = await workshop.open({});
    await log.append([{ topic: 't', key: 'k', value: 'no event', headers: { much: 'x'.repeat(65_500) } }]);
    const subscription = await log.subscribe({
      group: 'g',
      topics: ['t'],
      onBatch: (batch) => new BatchRunner({ log, group: 'g', lines: SILENT }, batch, () => Promise.resolve()).run(),
    });
    expect(await subscription.caughtUp(20_000)).toBe(true);
    const letters = await Promise.all(
      (await log.positions('any', [TOPICS.deadLetter])).map(({ partition }) =>
        log.read(TOPICS.deadLetter, partition, 0, 10),
      ),
    );
    expect(letters.flat()).toMatchObject([{ headers: { much: expect.any(String) as string } }]);
  });
});
