import { instantOf } from '../arguments';
import { CommandFault } from '../command.fault';
import type { Gateway } from '../gateway/gateway';
import { refusalText } from '../gateway/refusal';
import { describeFilter } from '../output';

const PAGE_SIZE = 100;

export interface SearchOptions {
  reason?: string;
  domain?: string;
  since?: string;
}

export interface FoundSuppression {
  address: string;
  reason: string;
  message_id: string | null;
  at: string;
}

interface Page {
  data?: FoundSuppression[];
  next_cursor: string | null;
}

export function isFiltered({ reason, domain, since }: SearchOptions): boolean {
  return [reason, domain, since].some((filter) => filter !== undefined);
}

/** The suppressions that match all options, newest first. The API knows no domain and no time: they are compared here. */
export async function* search(gateway: Gateway, options: SearchOptions, now: number): AsyncGenerator<FoundSuppression> {
  const { reason, domain, since } = options;
  const earliest = since === undefined ? '' : instantOf(since, now)!;
  const ending = domain === undefined ? '' : `@${domain.toLowerCase()}`;
  const query = new URLSearchParams({ limit: String(PAGE_SIZE), ...(reason !== undefined && { reason }) });
  for (;;) {
    const answer = await gateway.call<Page>('GET', `/v2/suppressions?${query.toString()}`);
    const { status, body } = answer;
    if (status !== 200 || !Array.isArray(body.data))
      throw new CommandFault(refusalText(answer), status === 422 ? 2 : 1);
    for (const found of body.data) {
      if (found.at < earliest) return;
      if (found.address.endsWith(ending)) yield found;
    }
    if (!body.next_cursor) return;
    query.set('cursor', body.next_cursor);
  }
}

/** The search in words, for the question that asks for confirmation. */
export function searchText({ reason, domain, since }: SearchOptions): string {
  return describeFilter({ reason, domain, since });
}
