/** What a server says of a query's plan. */
export interface Plan {
  /** Names of the indexes that are searched. */
  indexes: string[];
  /** Whether every document is examined. */
  scans: boolean;
  /** Whether the results have to be sorted. Only MongoDB tells: DocumentDB in its place has no ordered indexes. */
  sorts: boolean;
}

function nodesOf(value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap(nodesOf);
  if (typeof value !== 'object' || value === null) return [];
  return [value as Record<string, unknown>, ...Object.values(value).flatMap(nodesOf)];
}

/** Reads an `explain`, of MongoDB or of DocumentDB in its place. */
export function planOf(explained: unknown): Plan {
  const planner = (explained as { queryPlanner: Record<string, unknown> }).queryPlanner;
  const nodes = nodesOf(planner.winningPlan ?? planner);
  const searched = nodes.map((node) => (node.stage === 'IXSCAN' ? node.indexName : node['Index Name']));
  return {
    indexes: [...new Set(searched.filter((name) => typeof name === 'string'))],
    scans: nodes.some((node) => node.stage === 'COLLSCAN' || node['Node Type'] === 'Seq Scan'),
    sorts: nodes.some((node) => node.stage === 'SORT'),
  };
}
