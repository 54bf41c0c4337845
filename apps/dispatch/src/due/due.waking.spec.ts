import fc from 'fast-check';
import type { PriorityRank } from '../deliveries/deliveries.store';
import { Due, START } from '../testing/due';
import type { Admitted, DueQueue } from './due.queue';
import { Room } from './room';

const DOMAINS = ['a.org', 'b.org', 'c.org', 'd.org'];

const mail = fc.record({
  domain: fc.constantFrom(...DOMAINS),
  priority: fc.constantFrom<PriorityRank>(0, 1, 2),
  dueIn: fc.oneof(fc.constant(0), fc.integer({ min: -5_000, max: 5_000 })),
});
const rate = fc.double({ min: 0.5, max: 4, noNaN: true });
const limits = fc.record({
  hopRate: fc.option(rate, { nil: null }),
  domainRates: fc.dictionary(fc.constantFrom('*', ...DOMAINS), rate).map((rates) => new Map(Object.entries(rates))),
});

it('all that waits goes if the queue is looked at when it asks for that, and nothing may go sooner', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(mail, { minLength: 1, maxLength: 60 }),
      limits,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.boolean(),
      async (mails, sending, share, aside) => {
        const due = await Due.open();
        try {
          for (const [n, { domain, priority, dueIn }] of mails.entries())
            await due.fill(1, domain, { priority, dueAt: START + dueIn }, `${n}-`);
          if (aside) await due.store.putAside(await due.store.due(100, START, ''));
          const queue = due.queue(sending);
          await queue.findLanes();
          const went = await runOut(due, queue, share);
          expect(new Set(went.map(({ messageId }) => messageId)).size).toBe(mails.length);
          expect(went).toHaveLength(mails.length);
        } finally {
          await due.close();
        }
      },
    ),
    { numRuns: 10, endOnFailure: true },
  );
}, 120_000);

async function runOut(due: Due, queue: DueQueue, share: number): Promise<Admitted[]> {
  const went: Admitted[] = [];
  for (let looks = 0; looks < 4_000; looks += 1) {
    const admitted = await queue.take(new Room(10));
    went.push(...admitted);
    if (admitted.length > 0) {
      await due.send(queue, admitted);
      continue;
    }
    const ms = await queue.untilNext();
    if (ms === undefined) return went;
    if ((await due.store.countWaiting(1)) === 0) return went;
    // Something fell due since the last read.
    if (ms === 0) continue;
    const sooner = Math.floor((ms - 1) * share);
    due.now += sooner;
    expect(await queue.take(new Room(10))).toEqual([]);
    due.now += ms - sooner;
  }
  throw new Error('it goes on and on');
}
