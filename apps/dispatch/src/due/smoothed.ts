const SMOOTHING_WEIGHT = 0.05;

/** The average of durations in milliseconds, the latest counting most. One is negative if the clock was set back meanwhile. */
export function smoothed(usual: number | undefined, ms: number): number {
  const took = Math.max(0, ms);
  return usual === undefined ? took : usual + SMOOTHING_WEIGHT * (took - usual);
}
