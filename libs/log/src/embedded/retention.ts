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
