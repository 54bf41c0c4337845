/**
 * About the median of durations in milliseconds, `least` or more. Unlike an average, it does not follow a few that are very long. `step`
 * says how far a single one moves it: a factor above 1.
 */
export function typical(usual: number | undefined, ms: number, least: number, step: number): number {
  if (usual === undefined) return Math.max(least, ms);
  return Math.max(least, ms > usual ? Math.min(ms, usual * step) : Math.max(ms, usual / step));
}
