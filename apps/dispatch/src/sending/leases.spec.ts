import type { Claim, ClaimedDelivery, DeliveryStore, TakeoverLease } from '../deliveries/deliveries.store';
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
  it('withdraws the attempt whose claim was lost, and no other', async () => {
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
    await leases.renew();
    expect(asked[1]).toEqual([[], 61_000]);
  });

  describe('of an attempt that was not renewed in time, as after a standstill of this process,', () => {
    let time: number;
    let stand: () => Promise<boolean[]>;
    let leases: Leases;
    let lost!: Withdrawal;
    beforeEach(() => {
      [time, stand] = [0, () => Promise.resolve([true])];
      leases = new Leases({ renew: () => stand() } as unknown as DeliveryStore, 'one', () => time);
      void leases.hold(claimed('m'), (withdrawal) => {
        lost = withdrawal;
        return new Promise(() => undefined);
      });
    });
    const lapsesAt = (at: number): boolean => ((time = at), lost.check());

    it('end by the clock ten seconds before the lease, although nobody else has said so', () => {
      expect([lapsesAt(49_999), lapsesAt(50_000)]).toEqual([false, true]);
      expect(lost.withdrawn).toBe(true);
    });

    it('end later by each renewal, counted from when it was asked for', async () => {
      time = 20_000;
      stand = () => ((time = 45_000), Promise.resolve([true]));
      await leases.renew();
      expect([lapsesAt(69_999), lapsesAt(70_000)]).toEqual([false, true]);
    });

    it('do not end later by a renewal that failed', async () => {
      time = 20_000;
      stand = () => Promise.reject(new Error('away'));
      await expect(leases.renew()).rejects.toThrow('away');
      expect([lapsesAt(49_999), lapsesAt(50_000)]).toEqual([false, true]);
    });
  });

  it('does not withdraw an attempt because an earlier claim of its message was lost', async () => {
    let answer!: (stand: boolean[]) => void;
    const renew = () => new Promise<boolean[]>((resolve) => (answer = resolve));
    const leases = new Leases({ renew } as unknown as DeliveryStore, 'one', () => 1_000);
    let end!: () => void;
    const first = leases.hold(claimed('m'), () => new Promise((resolve) => (end = resolve)));
    const renewed = leases.renew();
    end();
    await first;
    let second!: Withdrawal;
    void leases.hold({ ...claimed('m'), attempts: 1 }, (lost) => {
      second = lost;
      return new Promise(() => undefined);
    });
    answer([false]);
    await renewed;
    expect(second.withdrawn).toBe(false);
    leases.withdrawAll();
    expect(second.withdrawn).toBe(true);
  });

  it('renews a claim that began before an earlier one of its message ended', async () => {
    const asked: string[][] = [];
    const renew = (claims: Claim[]) => {
      asked.push(claims.map(({ messageId }) => messageId));
      return Promise.resolve(claims.map(() => true));
    };
    const leases = new Leases({ renew } as unknown as DeliveryStore, 'one', () => 1_000);
    let end!: () => void;
    const first = leases.hold(claimed('m'), () => new Promise((resolve) => (end = resolve)));
    void leases.hold(claimed('m'), () => new Promise(() => undefined));
    end();
    await first;
    await leases.renew();
    expect(asked).toEqual([['m']]);
  });

  it('does not take over what this process holds, however late it is renewed', async () => {
    const spared: string[][] = [];
    const takeOver = (_lease: TakeoverLease, _limit: number, held: Claim[]) => {
      spared.push(held.map(({ messageId }) => messageId));
      return Promise.resolve([]);
    };
    const leases = new Leases({ takeOver } as unknown as DeliveryStore, 'one', () => 1_000);
    void leases.hold(claimed('m'), () => new Promise(() => undefined));
    await leases.takeOver(10);
    expect(spared).toEqual([['m']]);
  });

  describe('of other processes, once expired,', () => {
    const RUN_OUT = [claimed('run-out')];
    let away: boolean;
    let leases: Leases;
    const store = {
      takeOver: ({ now }: TakeoverLease) =>
        away ? Promise.reject(new Error('away')) : Promise.resolve(now > 0 ? RUN_OUT : []),
      renew: (claims: Claim[]) => (away ? Promise.reject(new Error('away')) : Promise.resolve(claims.map(() => true))),
    };
    beforeEach(() => {
      away = false;
      leases = new Leases(store as unknown as DeliveryStore, 'one', () => 1_000);
    });

    it('are taken over after live processes had time to renew since the start', async () => {
      expect(await leases.takeOver(10)).toEqual([]);
      expect(await leases.takeOver(10)).toEqual(RUN_OUT);
      expect(await leases.takeOver(10)).toEqual(RUN_OUT);
    });

    it.each([
      ['take over', () => leases.takeOver(10)],
      ['renew', () => leases.renew()],
    ])('wait for another round if the store was unavailable during a call to %s', async (_, meanwhile) => {
      await leases.takeOver(10);
      away = true;
      await expect(meanwhile()).rejects.toThrow('away');
      away = false;
      expect(await leases.takeOver(10)).toEqual([]);
      expect(await leases.takeOver(10)).toEqual(RUN_OUT);
    });
  });

  describe('of other processes, from before the clock was set back,', () => {
    const HOUR = 3_600_000;
    let time: number;
    let answers: (ClaimedDelivery[] | Error)[];
    let asked: (number | undefined)[];
    let leases: Leases;
    const takeOver = ({ astray }: TakeoverLease) => {
      asked.push(astray);
      const answer = answers.shift() ?? [];
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    };
    /** Looks as the sender does every twenty seconds. */
    const look = async () => {
      while ((await leases.takeOver(10)).length > 0);
      time += 20_000;
    };
    beforeEach(() => {
      [time, answers, asked] = [10 * HOUR, [], []];
      leases = new Leases({ takeOver } as unknown as DeliveryStore, 'one', () => time);
    });

    it('are taken over once live processes had time to renew, with clocks a minute apart', async () => {
      for (let n = 0; n < 3; n += 1) await look();
      expect(asked).toEqual([undefined, undefined, 10 * HOUR + 40_000 + 2 * 60_000]);
    });

    it('wait again if the clock is set back once more', async () => {
      for (let n = 0; n < 3; n += 1) await look();
      time -= HOUR;
      for (let n = 0; n < 3; n += 1) await look();
      expect(asked.map((astray) => astray !== undefined)).toEqual([false, false, true, false, false, true]);
    });

    it('wait again if the store was unavailable, as nobody could renew', async () => {
      for (let n = 0; n < 2; n += 1) await look();
      answers = [new Error('away')];
      await expect(look()).rejects.toThrow('away');
      for (let n = 0; n < 3; n += 1) await look();
      expect(asked.map((astray) => astray !== undefined)).toEqual([false, false, true, false, false, true]);
    });

    it('are not taken over sooner because many leases are found', async () => {
      answers = [[claimed('a')], [claimed('b')], [claimed('c')], []];
      await look();
      await look();
      expect(asked).toEqual([undefined, undefined, undefined, undefined, undefined]);
    });
  });
});
