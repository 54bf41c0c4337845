import { Logger } from '@nestjs/common';
import type { Config } from '@lettermill/config';
import type { AnyEvent } from '@lettermill/events';
import { StoreUnavailable } from '@lettermill/storage';
import type { ClaimedDelivery, Settlement } from '../deliveries/deliveries.store';
import type { AttemptEnd } from '../lifecycle/delivery';
import type { SmtpPool } from '../hop/hop.pool';
import { Withdrawal } from '../smtp/smtp.withdrawal';
import { messageId, queued } from '../testing/dispatch.service';
import { Attempts } from './attempts';
import type { Leases } from './leases';
import type { Outcomes } from './outcomes';
import type { SignedMails } from './signed.mails';

const NOW = Date.parse('2026-01-02T03:04:05.000Z');
const DAY_MS = 86_400_000;
const DEFERRED: AttemptEnd = { outcome: 'deferred', reply: null, reason: null, hard: false };

/** Attempts that compose and send as given, with what they have recorded and told. */
function attemptsThat(send: () => Promise<AttemptEnd>, compose: () => Promise<unknown> = () => Promise.resolve({})) {
  const settlements: Pick<Settlement, 'next'>[] = [];
  const told: (AnyEvent['type'] | undefined)[] = [];
  const outcomes: Partial<Outcomes> = {
    settle: (settlement, event) => {
      settlements.push(settlement);
      told.push(event?.type);
      return Promise.resolve(true);
    },
    mention: ({ type }) => void told.push(type),
  };
  const config = { retryDelays: [60], sending: { domainRates: new Map(), domainConcurrency: new Map() } };
  const attempts = new Attempts(
    { compose } as unknown as SignedMails,
    { nextHop: 'hop:25', send } as unknown as SmtpPool,
    outcomes as Outcomes,
    { claimOf: (claimed: ClaimedDelivery) => claimed } as unknown as Leases,
    config as unknown as Config,
    Date.now,
  );
  const run = async (over: Parameters<typeof queued>[2] = {}, content = JSON.stringify(queued(1, 'ada', over))) => {
    const claimed = { accountId: 'default', messageId: messageId(1), attempts: 0, claimedAt: NOW, content };
    const progress = { turnEnded: () => undefined, submitted: () => undefined };
    await attempts.run(claimed, NOW, new Withdrawal(), progress);
    return settlements[0]!.next;
  };
  return { run, told };
}

describe('an attempt', () => {
  beforeEach(() => jest.useFakeTimers({ now: NOW, doNotFake: ['queueMicrotask', 'nextTick'] }));
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it('is not reported as in progress once it has ended, and leaves nothing waiting for its expiry', async () => {
    const { run, told } = attemptsThat(() => Promise.resolve(DEFERRED));
    await run({ expires_at: new Date(NOW + DAY_MS / 2).toISOString() });
    expect(jest.getTimerCount()).toBe(0);
    await jest.advanceTimersByTimeAsync(DAY_MS);
    expect(told).toEqual(['MessageDeferred']);
  });

  it('that a defect interrupts may have handed the mail over', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    const defect = new Error('a defect');
    const { run, told } = attemptsThat(() => Promise.reject(defect));
    expect(await run({ on_uncertain: 'hold' })).toMatchObject({ state: 'uncertain', attempts: 1, dueAt: null });
    expect(told).toEqual(['MessageUncertain']);
    expect(logged).toHaveBeenCalledWith(defect);
  });

  it('is not made for a mail that is no longer stored, or has expired', async () => {
    const { run, told } = attemptsThat(jest.fn(), jest.fn());
    expect(await run({}, '')).toMatchObject({ state: 'failed', attempts: 0 });
    const expired = attemptsThat(jest.fn(), jest.fn());
    expect(await expired.run({ expires_at: new Date(NOW).toISOString() })).toMatchObject({ state: 'failed' });
    expect([told, expired.told]).toEqual([['MessageFailed'], ['MessageFailed']]);
  });

  it('is not repeated without a pause while the contents of mails cannot be read', async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const { run, told } = attemptsThat(jest.fn(), () => Promise.reject(new StoreUnavailable('away')));
    const { state, attempts, dueAt } = await run();
    expect([state, attempts, told]).toEqual(['queued', 0, [undefined]]);
    expect(dueAt).toBeGreaterThan(NOW);
  });
});
