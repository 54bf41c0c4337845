import { everyHour, HOUR_MS } from './every.hour';

const MINUTE_MS = 60_000;

describe('hourly work', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('is done minutes after the start, because a process may never live for an hour, and every hour from then on', () => {
    const work = jest.fn();
    everyHour(work);
    jest.advanceTimersByTime(5 * MINUTE_MS - 1);
    expect(work).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(work).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(HOUR_MS - 1);
    expect(work).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(1 + HOUR_MS);
    expect(work).toHaveBeenCalledTimes(3);
  });

  it('may begin later', () => {
    const work = jest.fn();
    everyHour(work, HOUR_MS);
    jest.advanceTimersByTime(HOUR_MS - 1);
    expect(work).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('stops before the first time and after it', () => {
    const work = jest.fn();
    everyHour(work)();
    const stop = everyHour(work);
    jest.advanceTimersByTime(5 * MINUTE_MS);
    stop();
    jest.advanceTimersByTime(3 * HOUR_MS);
    expect(work).toHaveBeenCalledTimes(1);
    expect(jest.getTimerCount()).toBe(0);
  });
});
