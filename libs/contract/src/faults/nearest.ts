const MAX_NAME_LENGTH = 64;

/** Optimal string alignment distance: insertions, deletions, replacements and swaps of neighbours. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2]! + 1);
      next.push(cost);
    }
    before = row;
    row = next;
  }
  return row[b.length]!;
}

/** Spellings that differ only in case or in how words are joined are one word: `replyTo`, `reply-to`, `reply_to`. */
function normalise(name: string): string {
  return name.toLowerCase().replaceAll(/[-_ ]/g, '');
}

/** The known name that was most likely meant; undefined if none is near. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  let best: string | undefined;
  let bestDistance = Infinity;
  const normalised = normalise(name);
  for (const candidate of known) {
    const maxDistance = Math.max(1, Math.floor(candidate.length / 3));
    // The distance is at least the difference in length.
    if (Math.abs(normalised.length - normalise(candidate).length) > maxDistance) continue;
    const candidateDistance = distance(normalised, normalise(candidate));
    if (candidateDistance < bestDistance && candidateDistance <= maxDistance) {
      best = candidate;
      bestDistance = candidateDistance;
    }
  }
  return best;
}
