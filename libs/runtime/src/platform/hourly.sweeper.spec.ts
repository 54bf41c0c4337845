import { Logger } from '@nestjs/common';
import { HourlySweeper } from './hourly.sweeper';

const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 0, 1);

class Sweeper extends HourlySweeper {
  readonly steps: number[] = [];

  constructor(
    private readonly stepsPerSweep: number,
    firstAfterMs?: number,
  ) {
    super('test', Date.now, firstAfterMs);
  }

  protected step(now: number): Promise<boolean> {
    this.steps.push(now - START);
    if (this.stepsPerSweep === 0) return Promise.reject(new Error('the store is away'));
    return Promise.resolve(this.steps.length % this.stepsPerSweep !== 0);
  }
}

describe('an hourly sweeper', () => {
  beforeEach(() => jest.useFakeTimers({ now: START }));
  afterEach(() => jest.useRealTimers());

  it('sweeps by itself, soon after the start and then every hour, until nothing is left to do', async () => {
    const sweeper = new Sweeper(2);
    sweeper.onApplicationBootstrap();
    const soon = 300_000;
    await jest.advanceTimersByTimeAsync(soon + HOUR_MS);
    expect(sweeper.steps).toEqual([soon, soon, soon + HOUR_MS, soon + HOUR_MS]);
    sweeper.beforeApplicationShutdown();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('begins later if it must', async () => {
    const sweeper = new Sweeper(1, HOUR_MS);
    sweeper.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(HOUR_MS);
    expect(sweeper.steps).toEqual([HOUR_MS]);
    sweeper.beforeApplicationShutdown();
  });

  it('stops between two steps when the process shuts down', async () => {
    const sweeper = new Sweeper(Infinity);
    const sweep = sweeper.sweep();
    sweeper.beforeApplicationShutdown();
    await sweep;
    expect(sweeper.steps).toEqual([0]);
  });

  it('logs a failure and tries again an hour later', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    const sweeper = new Sweeper(0);
    sweeper.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(2 * HOUR_MS);
    expect(sweeper.steps).toHaveLength(2);
    expect(warn.mock.calls.map(([text]) => String(text))).toEqual(Array(2).fill('Error: the store is away'));
    warn.mockRestore();
    sweeper.beforeApplicationShutdown();
  });
});
