import type { Extent } from './broker.admin';
import type { Progress } from './progress';

const ASK_AGAIN_MS = 100;

/** What a reader has to tell for one to wait for it. */
export interface Pursuit {
  progress: Progress;
  /** Where the partitions begin and end now. */
  extents(): Promise<Extent[]>;
  /** What the group has committed: other members read partitions too. None for a follower. */
  committed?(): Promise<Map<number, number>>;
}

/** A group that is past the end has either come on meanwhile, or read a topic that was there before: what it has committed tells. */
function isOpen({ low, end }: Extent, reached: number, ofGroup: boolean): boolean {
  return Math.max(low, reached) < end || (ofGroup && reached > end);
}

/**
 * True when all that is on the topic at the time of the call has been handled, by this process or by another member
 * of the group; false when `timeoutMs` are over or the reader ends before. A broker that is away is asked again.
 */
export async function caughtUp({ progress, extents, committed }: Pursuit, timeoutMs: number): Promise<boolean> {
  // Of a clock that nobody sets.
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
