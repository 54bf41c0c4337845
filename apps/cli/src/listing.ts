import { once } from 'node:events';
import { jsonList, tableLines } from './output';

/** How a list is shown as a table. */
export interface Listing<T> {
  columns: string[];
  cells(item: T): string[];
  /** Shown in place of an empty table. */
  none: string;
}

/** Prints at most `limit` items of those that `find` yields (`most` of them at most), as JSON or as a table. */
export async function printList<T>(
  stdout: NodeJS.WritableStream,
  { json, limit }: { json?: boolean; limit: number },
  find: (most: number) => AsyncIterable<T>,
  listing: Listing<T>,
): Promise<void> {
  // One more than is shown tells whether there are more.
  if (!json) return void stdout.write(await tableText(find(limit + 1), limit, listing));
  for await (const text of jsonList(find(limit))) if (!stdout.write(text)) await once(stdout, 'drain');
}

/** Keeps only the cells, because there may be a million items. */
async function tableText<T>(found: AsyncIterable<T>, limit: number, listing: Listing<T>): Promise<string> {
  const rows: string[][] = [];
  for await (const item of found) rows.push(listing.cells(item));
  if (rows.length === 0) return listing.none;
  const rest = rows.length > limit ? ['… more; use --limit'] : [];
  return [...tableLines(listing.columns, rows.slice(0, limit)), ...rest, ''].join('\n');
}
