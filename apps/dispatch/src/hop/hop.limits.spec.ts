import type { Transaction } from '../smtp/smtp.transaction';
import { HopLimits } from './hop.limits';

const accepted: Transaction = { stage: 'handed_over', response: '250 ok', refused: [], answers: [] };
const busy: Transaction = { ...accepted, stage: 'envelope', response: '421 4.3.2 busy' };

describe('the number of connections to a hop', () => {
  let now: number;
  let limits: HopLimits;
  beforeEach(() => {
    now = 1_000;
    limits = new HopLimits(10, () => now);
    for (let n = 0; n < 6; n += 1) limits.answered(accepted, now, false);
  });
  const forAllAndUrgent = () => [limits.connections(false), limits.connections(true)];

  it('is the window of the hop, and what is allowed in addition, some of it to urgent mails only', () => {
    expect([limits.window(), ...forAllAndUrgent()]).toEqual([8, 8, 10]);
    limits.allowExtra(3);
    expect([limits.window(), ...forAllAndUrgent()]).toEqual([8, 11, 13]);
  });

  it('tells whether all mails get more than before', () => {
    expect([1, 1, 3, 2].map((count) => limits.allowExtra(count))).toEqual([true, false, true, false]);
  });

  it.each<[string, () => void, number]>([
    ['the hop is busy', () => limits.answered(busy, now, true), 4],
    [
      'it refuses a further connection again',
      () => [1, 2].forEach(() => limits.refusedMoreThan({ open: 5, opening: 0 }, (now += 1_000))),
      5,
    ],
    ['it answers that it takes none', () => limits.openingFailed(true, now), 4],
  ])('is no more than the smaller window for a while when %s', (_, hear, window) => {
    limits.allowExtra(3);
    hear();
    expect(forAllAndUrgent()).toEqual([window, window]);
    now += 30_000;
    expect(forAllAndUrgent()).toEqual([window + 3, window + 5]);
  });

  it('knows for half a minute that the hop refused a mail on a new connection', () => {
    limits.answered(busy, now, false);
    expect(limits.isBusy).toBe(false);
    limits.answered(busy, now, true);
    const at = now;
    expect([0, 29_999, 30_000, -1].map((later) => ((now = at + later), limits.isBusy))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('includes those in addition that the hop bore when it refused one', () => {
    limits.allowExtra(8);
    limits.refusedMoreThan({ open: 13, opening: 0 }, now);
    expect(forAllAndUrgent()).toEqual([13, 13]);
    now += 1_000;
    expect(forAllAndUrgent()).toEqual([16, 18]);
  });

  it('begins anew with a hop that was away', () => {
    limits.allowExtra(3);
    limits.openingFailed(false, now);
    expect(forAllAndUrgent()).toEqual([5, 7]);
  });
});
