import { newId } from '@lettermill/events';
import { toldAt } from './report.time';

const SENT = Date.UTC(2026, 0, 2);
const NOW = SENT + 3_600_000;
const at = (writtenAt: number | null, now = NOW) => toldAt({ writtenAt }, newId(SENT), now);

describe('the time of a report', () => {
  it('is what it states', () => {
    expect(at(SENT + 60_000)).toBe(SENT + 60_000);
  });

  it('is now if it states none, or one in the future', () => {
    expect(at(null)).toBe(NOW);
    expect(at(NOW + 60_000)).toBe(NOW);
  });

  it('is not before its message, nor in the future if our own clock was set back', () => {
    expect(at(SENT - 60_000)).toBe(SENT);
    expect(at(SENT - 60_000, SENT - 30_000)).toBe(SENT - 30_000);
  });
});
