export interface SegmentAge {
  number: number;
  /** First position per partition. */
  base: number[];
  /** Milliseconds since the epoch. */
  created: number;
}

/**
 * How many of the oldest segments may be removed: every record in them is older than `before` (milliseconds since the
 * epoch) and below what every group has committed (positions by partition), and no reader is in them. The last segment
 * stays.
 */
export function droppableCount(
  segments: SegmentAge[],
  before: number,
  groups: number[][],
  readersAt: number[],
): number {
  return segments.findIndex((segment, index) => {
    const next = segments[index + 1];
    if (!next || next.created > before) return true;
    const unread = groups.some((committed) => next.base.some((base, partition) => (committed[partition] ?? 0) < base));
    return unread || readersAt.some((number) => number <= segment.number);
  });
}

/**
 * When segments were created (milliseconds since the epoch), given what the clock said then. If that is later than `now`, the clock was
 * ahead: it was before the next segment was created. If it is before an earlier segment, the clock was behind.
 */
export function creationTimes(said: number[], now: number): number[] {
  let next = now;
  const upperBounds = said.toReversed().map((at) => (next = at > now ? next : at));
  let last = -Infinity;
  return upperBounds.reverse().map((at) => (last = Math.max(last, at)));
}
