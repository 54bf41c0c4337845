/** Bytes of facts after which a page ends. As values in memory, and as the answer, they take some times as much. */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** A message that matches; without facts if those of newer messages left no room for them. */
export interface FoundRow {
  facts: string | null;
}

/** The rows of a page, of those found, newest first: at most `limit`, and as many as fit, at least one. */
export function rowsOfPage<Row extends FoundRow>(found: Row[], limit: number): (Row & { facts: string })[] {
  const rows: (Row & { facts: string })[] = [];
  let bytes = 0;
  for (const row of found) {
    const { facts } = row;
    if (rows.length === limit || facts === null || bytes > MAX_PAGE_BYTES) break;
    rows.push({ ...row, facts });
    bytes += Buffer.byteLength(facts);
  }
  return rows;
}
