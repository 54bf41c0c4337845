import * as fc from 'fast-check';
import { shareBounds } from './share.bounds';

describe('bounds of the shares', () => {
  it('divide the connections that are allowed while the hop bears as many again', () => {
    expect(shareBounds(20, 20, 40)).toEqual({
      bearsFew: false,
      few: 2,
      half: 10,
      mostUnproven: { others: 25, urgent: 35 },
    });
  });

  it('do so too while the hop is only being found to bear them', () => {
    expect(shareBounds(20, 4, 8)).toEqual(shareBounds(20, 20, 40));
  });

  it('divide half of what the hop bears if it refuses more', () => {
    expect(shareBounds(20, 8, 8)).toEqual({
      bearsFew: true,
      few: 1,
      half: 2,
      mostUnproven: { others: 5, urgent: 7 },
    });
  });

  it('leave a place to domains that answer, unless there is only one', () => {
    const connections = fc.integer({ min: 1, max: 200 });
    fc.assert(
      fc.property(connections, connections, fc.nat({ max: 200 }), (allowed, bears, additional) => {
        const most = bears + Math.min(additional, bears);
        const { bearsFew, few, half, mostUnproven } = shareBounds(Math.max(allowed, bears), bears, most);
        expect(few).toBeGreaterThanOrEqual(1);
        expect(half).toBeGreaterThanOrEqual(few);
        expect(mostUnproven.urgent).toBeGreaterThanOrEqual(mostUnproven.others);
        if (bearsFew && most > 1) expect(mostUnproven.others).toBeLessThan(most);
      }),
    );
  });
});
