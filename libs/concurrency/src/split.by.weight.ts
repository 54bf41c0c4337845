/**
 * Splits items, in order, into groups of at most `maxWeight` in all, such as those that may be in memory at the same time. A heavier item
 * is a group of its own.
 */
export function splitByWeight<T>(items: T[], weightOf: (item: T) => number, maxWeight: number): T[][] {
  const groups: T[][] = [];
  let weight = Infinity;
  for (const item of items) {
    const more = weightOf(item);
    weight += more;
    if (weight > maxWeight) {
      groups.push([]);
      weight = more;
    }
    groups.at(-1)!.push(item);
  }
  return groups;
}
