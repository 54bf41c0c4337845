import type { Claim, ClaimedDelivery, DeliveryStore, TakingOver } from '../deliveries/deliveries.store';
import type { Withdrawal } from '../smtp/smtp.withdrawal';
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
    const withdrawals: Withdrawal[] = [];
    let end!: () => void;
    const going = new Promise<void>((resolve) => (end = resolve));
    const held = ['kept', 'lost'].map((id) =>
      leases.hold(claimed(id), (lost) => {
        withdrawals.push(lost);
        return going;
      }),
    );
    await leases.renew();
    expect(asked).toEqual([[['kept', 'lost'], 61_000]]);
    expect(withdrawals.map(({ withdrawn }) => withdrawn)).toEqual([false, true]);
    end();
    await Promise.all(held);
    expect(leases.size).toBe(0);
  });

  describe('of others, from before the clock was set back', () => {
    const HOUR = 3_600_000;
    let time: number;
    let answers: (ClaimedDelivery[] | Error)[];
    let asked: (number | undefined)[];
    let leases: Leases;
    const takeOver = ({ astray }: TakingOver) => {
      asked.push(astray);
      const answer = answers.shift() ?? [];
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    };
    /** As the sender does it, every twenty seconds. */
    const look = async (own = false) => {
      while ((await leases.takeOver(own, 10)).length > 0);
      time += 20_000;
    };
    beforeEach(() => {
      [time, answers, asked] = [10 * HOUR, [], []];
      leases = new Leases({ takeOver } as unknown as DeliveryStore, 'one', () => time);
    });

    it('are taken over when all who live have had the time to renew theirs, by clocks a minute apart', async () => {
      await look(true);
      for (let n = 0; n < 3; n += 1) await look();
      expect(asked).toEqual([undefined, undefined, undefined, 10 * HOUR + 60_000 + 2 * 60_000]);
    });

    it('are left for as long again when it is set back meanwhile', async () => {
      for (let n = 0; n < 3; n += 1) await look();
      time -= HOUR;
      for (let n = 0; n < 3; n += 1) await look();
      expect(asked.map((astray) => astray !== undefined)).toEqual([false, false, true, false, false, true]);
    });

    it('are left for as long again when the store was away: nobody could renew', async () => {
      for (let n = 0; n < 2; n += 1) await look();
      answers = [new Error('away')];
      await expect(look()).rejects.toThrow('away');
      for (let n = 0; n < 3; n += 1) await look();
      expect(asked.map((astray) => astray !== undefined)).toEqual([false, false, true, false, false, true]);
    });

    it('are not taken over sooner because there is much to take over', async () => {
      answers = [[claimed('a')], [claimed('b')], [claimed('c')], []];
      await look();
      await look();
      expect(asked).toEqual([undefined, undefined, undefined, undefined, undefined]);
    });
  });
});
