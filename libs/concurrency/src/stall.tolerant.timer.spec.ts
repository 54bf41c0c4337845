import { setImmediate as turn, setTimeout as rest } from 'node:timers/promises';
import { stallTolerantTimer } from './stall.tolerant.timer';

const DELAY_MS = 100;

/** Blocks the event loop. */
function blockFor(ms: number): void {
  for (const end = Date.now() + ms; Date.now() < end;);
}

describe('a stall-tolerant timer', () => {
  it('lets input that came while the event loop was blocked be handled before it fires', async () => {
    const late = jest.fn();
    stallTolerantTimer(DELAY_MS, late);
    blockFor(2 * DELAY_MS);
    await turn();
    expect(late).not.toHaveBeenCalled();
    while (late.mock.calls.length === 0) await rest(1);
  });

  it('fires once, after its time', () => {
    jest.useFakeTimers();
    const late = jest.fn();
    stallTolerantTimer(DELAY_MS, late);
    jest.advanceTimersByTime(DELAY_MS - 1);
    expect(late).not.toHaveBeenCalled();
    jest.advanceTimersByTime(2 * DELAY_MS);
    expect(late).toHaveBeenCalledTimes(1);
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('never fires once it has been cancelled', () => {
    jest.useFakeTimers();
    const late = jest.fn();
    stallTolerantTimer(DELAY_MS, late)();
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });
});
