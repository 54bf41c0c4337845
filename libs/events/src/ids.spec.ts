import { idTime, newId, newUuid, timeOfId, timeOfUuid } from './ids';

const NOW = Date.UTC(2026, 0, 31, 8);

describe('an id', () => {
  it('tells its millisecond, and sorts by it', () => {
    const id = newId(NOW);
    expect(id).toMatch(/^[0-9A-Za-z]{18}$/);
    expect(timeOfId(id)).toBe(NOW);
    expect(id.startsWith(idTime(NOW))).toBe(true);
    const times = [NOW - 1, NOW, NOW + 1, NOW + 1000].map(idTime);
    expect([...times].sort()).toEqual(times);
    expect(new Set(times).size).toBe(4);
  });

  it('begins as the nearest time does that ids can tell', () => {
    expect(idTime(NOW + 0.9)).toBe(idTime(NOW));
    expect(timeOfId(idTime(-1e15))).toBe(0);
    const last = timeOfId(idTime(1e15));
    expect(timeOfId(idTime(last))).toBe(last);
    expect(idTime(last) > idTime(last - 1)).toBe(true);
  });

  it('is another one each time, also within a millisecond', () => {
    expect(new Set(Array.from({ length: 20_000 }, () => newId(NOW))).size).toBe(20_000);
  });
});

describe('a UUID', () => {
  it('tells its millisecond', () => {
    expect(timeOfUuid('0190b0e0-1234-7fff-bfff-ffffffffffff')).toBe(0x0190b0e01234);
    const before = Date.now();
    const made = timeOfUuid(newUuid());
    expect(made).toBeGreaterThanOrEqual(before);
    expect(made).toBeLessThanOrEqual(Date.now());
  });
});
