/** How many attempts may be in progress: bounds of one domain, and of many together. Each is at least one. */
export interface ShareBounds {
  /** The hop bears fewer connections in addition than attempts that hang may need, so these take places from the others. */
  bearsFew: boolean;
  /** A tenth of the connections that domains share. */
  few: number;
  /** Half of them. */
  half: number;
  /** Of domains not known to answer: so many leave room for those that do. */
  mostUnproven: { urgent: number; others: number };
}

/**
 * The hop bears so many `connections` of those that are `allowed`, and `most` in all with those for attempts that hang. If these are not as
 * many again, because it refuses more, domains share half of all, and the other half is for attempts that hang.
 */
export function shareBounds(allowed: number, connections: number, most: number): ShareBounds {
  const bearsFew = most < 2 * connections;
  const shared = bearsFew ? part(most, 2) : allowed;
  const quarter = part(shared, 4);
  const others = bearsFew ? Math.max(1, Math.min(shared + quarter, most - 1)) : shared + quarter;
  return {
    bearsFew,
    few: part(shared, 10),
    half: part(shared, 2),
    mostUnproven: { others, urgent: Math.max(others, 2 * shared - quarter) },
  };
}

function part(of: number, parts: number): number {
  return Math.max(1, Math.floor(of / parts));
}
