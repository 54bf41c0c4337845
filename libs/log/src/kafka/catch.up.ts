import type { Extent } from './broker.admin';
import type { Progress } from './progress';

const ASK_AGAIN_MS = 100;

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
function isOpen({ low, end }: Extent, reached: number, ofGroup: boolean): boolean {
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
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs);
  });
  const inTime = <T>(question: Promise<T>) => Promise.race([question.catch(() => undefined), late]);
  try {
    let open: Extent[] | undefined;
    for (;;) {
      open ??= await inTime(extents());
      open &&= open.filter((extent) => isOpen(extent, progress.of(extent.partition), committed !== undefined));
      if (open && open.length > 0 && committed) {
        const positions = await inTime(committed());
        open = open.filter(({ partition, end }) => (positions?.get(partition) ?? -1) < end);
      }
      if (open?.length === 0) return true;
      const left = deadline - performance.now();
      if (progress.ended || left <= 0) return false;
      await progress.change(Math.min(left, ASK_AGAIN_MS));
    }
  } finally {
    clearTimeout(timer);
  }
}
