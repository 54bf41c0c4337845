import { newId } from '@lettermill/events';
import { toldAt } from './report.time';

const SENT = Date.UTC(2026, 0, 2);
const NOW = SENT + 3_600_000;
const at = (writtenAt: number | null, now = NOW) => toldAt({ writtenAt }, newId(SENT), now);

describe('when a report was written', () => {
  it('is what it says', () => {
    expect(at(SENT + 60_000)).toBe(SENT + 60_000);
  });

  it('is now where it says nothing, or a time to come', () => {
    expect(at(null)).toBe(NOW);
    expect(at(NOW + 60_000)).toBe(NOW);
  });

  it('is not before its message, nor after now where our own clock was set back', () => {
    expect(at(SENT - 60_000)).toBe(SENT);
    expect(at(SENT - 60_000, SENT - 30_000)).toBe(SENT - 30_000);
  });
});
