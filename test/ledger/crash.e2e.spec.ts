import { crashRun, FAULTY_MIX } from './crash.run';

/** The short run; the long one is `npm run test:crash`. */
describe('a process that is killed again and again while its next hop misbehaves', () => {
  it('loses nothing that was accepted and repeats nothing that is not explained', async () => {
    const report = await crashRun({
      messages: 1_000,
      kills: 10,
      lifeMs: 1_200,
      lanes: 8,
      patienceMs: 60_000,
      // The same faults, but more often, because there are fewer messages.
      mix: Object.fromEntries(Object.entries(FAULTY_MIX).map(([kind, share]) => [kind, share * 2])),
    });
    expect(report).toMatchObject({ faults: [], kills: 10 });
    expect(report.accepted).toBeGreaterThanOrEqual(1_000);
  }, 300_000);
});
