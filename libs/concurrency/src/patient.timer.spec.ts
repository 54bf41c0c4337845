import { setImmediate as turn, setTimeout as rest } from 'node:timers/promises';
import { patientTimer } from './patient.timer';

const MS = 100;

/** Blocks the event loop. */
function holdUp(ms: number): void {
  for (const end = Date.now() + ms; Date.now() < end;);
}

describe('a patient timer', () => {
  it('lets input that came while the event loop was blocked be handled before it fires', async () => {
    const late = jest.fn();
    patientTimer(MS, late);
    holdUp(2 * MS);
    await turn();
    expect(late).not.toHaveBeenCalled();
    while (late.mock.calls.length === 0) await rest(1);
  });

  it('fires once, after its time', () => {
    jest.useFakeTimers();
    const late = jest.fn();
    patientTimer(MS, late);
    jest.advanceTimersByTime(MS - 1);
    expect(late).not.toHaveBeenCalled();
    jest.advanceTimersByTime(2 * MS);
    expect(late).toHaveBeenCalledTimes(1);
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('never fires once it has been cancelled', () => {
    jest.useFakeTimers();
    const late = jest.fn();
    patientTimer(MS, late)();
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });
});
