import { CommandFault } from '../command.fault';
import type { Gateway } from './gateway';
import { refusalText } from './refusal';

const PAGE_SIZE = 100;

interface Page<T> {
  data?: T[];
  next_cursor: string | null;
}

/** The items that the API lists for a query, page by page, at most `limit`. Throws `CommandFault` (2 if the query is refused). */
export async function* listed<T>(
  gateway: Gateway,
  path: string,
  query: URLSearchParams,
  limit = Infinity,
): AsyncGenerator<T> {
  for (let left = limit; ;) {
    query.set('limit', String(Math.min(PAGE_SIZE, left)));
    const answer = await gateway.call<Page<T>>('GET', `${path}?${query.toString()}`);
    const { status, body } = answer;
    if (status !== 200 || !Array.isArray(body.data))
      throw new CommandFault(refusalText(answer), status === 422 ? 2 : 1);
    yield* body.data;
    left -= body.data.length;
    if (!body.next_cursor || left <= 0) return;
    query.set('cursor', body.next_cursor);
  }
}
