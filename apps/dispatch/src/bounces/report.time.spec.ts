import { newId } from '@lettermill/events';
import { reportTime } from './report.time';

const SENT_AT = Date.UTC(2026, 0, 2);
const NOW = SENT_AT + 3_600_000;
const reportedAt = (writtenAt: number | null, now = NOW) => reportTime({ writtenAt }, newId(SENT_AT), now);

describe('the time of a report', () => {
  it('is the end of the second that it states', () => {
    expect(reportedAt(SENT_AT + 60_000)).toBe(SENT_AT + 60_999);
  });

  it('is not before the mail was sent within the same second', () => {
    const second = SENT_AT + 1_000;
    const now = second + 900;
    expect(reportTime({ writtenAt: second }, newId(second + 200), now)).toBe(now);
  });

  it('is now if it states none, or one in the future', () => {
    expect(reportedAt(null)).toBe(NOW);
    expect(reportedAt(NOW + 60_000)).toBe(NOW);
  });

  it('is not before its message, nor in the future if our own clock was set back', () => {
    expect(reportedAt(SENT_AT - 60_000)).toBe(SENT_AT);
    expect(reportedAt(SENT_AT - 60_000, SENT_AT - 30_000)).toBe(SENT_AT - 30_000);
  });
});
