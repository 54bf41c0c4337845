import type { Extent } from './broker.admin';
import type { Progress } from './progress';

const POLL_INTERVAL_MS = 100;

/** What `caughtUp` needs to know of a reader. */
export interface Pursuit {
  progress: Progress;
  /** Where the partitions begin and end now. */
  extents(): Promise<Extent[]>;
  /** What the group has committed, as other members read partitions, too. Undefined for a follower. */
  committed?(): Promise<Map<number, number>>;
}

/**
 * Whether the partition may have unread records. A group whose position is past the end has either advanced meanwhile,
 * or has read an earlier topic of this name: its committed positions tell which.
 */
function mayHaveUnread({ low, end }: Extent, reached: number, ofGroup: boolean): boolean {
  return Math.max(low, reached) < end || (ofGroup && reached > end);
}

/**
 * Resolves with true when everything on the topic at the time of the call has been handled, by this process or by
 * another member of the group; with false when `timeoutMs` is over or the reader ends before that. Brokers that are
 * unavailable are asked again.
 */
export async function caughtUp({ progress, extents, committed }: Pursuit, timeoutMs: number): Promise<boolean> {
  // By a clock that nobody can set.
  const deadline = performance.now() + timeoutMs;
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs);
  });
  const orTimedOut = <T>(question: Promise<T>) => Promise.race([question.catch(() => undefined), timedOut]);
  try {
    let unread: Extent[] | undefined;
    for (;;) {
      unread ??= await orTimedOut(extents());
      unread &&= unread.filter((extent) =>
        mayHaveUnread(extent, progress.of(extent.partition), committed !== undefined),
      );
      if (unread && unread.length > 0 && committed) {
        const positions = await orTimedOut(committed());
        unread = unread.filter(({ partition, end }) => (positions?.get(partition) ?? -1) < end);
      }
      if (unread?.length === 0) return true;
      const remainingMs = deadline - performance.now();
      if (progress.ended || remainingMs <= 0) return false;
      await progress.waitForChange(Math.min(remainingMs, POLL_INTERVAL_MS));
    }
  } finally {
    clearTimeout(timer);
  }
}
