const MAX_CONCURRENT_CALLS = 8;

/** Calls `handle` for each item, several at a time. If one call throws, none begins after it, and its error is the result. */
export async function inLanes<T>(items: T[], handle: (item: T) => Promise<void>): Promise<unknown> {
  const remaining = items[Symbol.iterator]();
  let failure: unknown;
  const lane = async () => {
    for (const item of remaining) {
      if (failure) return;
      await handle(item).catch((error: unknown) => (failure ??= error));
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_CALLS }, lane));
  return failure;
}
