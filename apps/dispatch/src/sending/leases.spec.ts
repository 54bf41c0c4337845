import type { Claim, ClaimedDelivery, DeliveryStore } from '../deliveries/deliveries.store';
import { Leases } from './leases';

const claimed = (messageId: string): ClaimedDelivery => ({
  accountId: 'default',
  messageId,
  attempts: 0,
  claimedAt: 0,
  content: '{}',
});

describe('Leases', () => {
  it('gives up the attempt whose claim was lost, and no other', async () => {
    const asked: [string[], number][] = [];
    const renew = (claims: Claim[], until: number): Promise<boolean[]> => {
      asked.push([claims.map(({ messageId }) => messageId), until]);
      return Promise.resolve(claims.map(({ messageId }) => messageId !== 'lost'));
    };
    const leases = new Leases({ renew } as unknown as DeliveryStore, 'one', () => 1_000);
    const signals: AbortSignal[] = [];
    let end!: () => void;
    const going = new Promise<void>((resolve) => (end = resolve));
    const held = ['kept', 'lost'].map((id) =>
      leases.hold(claimed(id), (signal) => {
        signals.push(signal);
        return going;
      }),
    );
    await leases.renew();
    expect(asked).toEqual([[['kept', 'lost'], 61_000]]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
    end();
    await Promise.all(held);
    expect(leases.size).toBe(0);
  });
});
