import { domainToASCII } from 'node:url';
import { instantOf } from '../arguments';
import type { Gateway } from '../gateway/gateway';
import { listed } from '../gateway/listed';
import { describeFilter } from '../output';

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

/** Whether it is narrowed down further than by a reason. */
export function isNarrowed({ domain, since }: SearchOptions): boolean {
  return domain !== undefined || since !== undefined;
}

/** The suppressions that match all options, newest first. The API knows no domain and no time: they are compared here. */
export async function* search(gateway: Gateway, options: SearchOptions, now: number): AsyncGenerator<FoundSuppression> {
  const { reason, domain, since } = options;
  const earliest = since === undefined ? '' : instantOf(since, now)!;
  const ending = domain === undefined ? '' : `@${domainToASCII(domain) || domain}`;
  const query = new URLSearchParams(reason === undefined ? {} : { reason });
  for await (const found of listed<FoundSuppression>(gateway, '/v2/suppressions', query)) {
    if (found.at < earliest) return;
    if (found.address.endsWith(ending)) yield found;
  }
}

/** The search in words, for the question that asks for confirmation. */
export function searchText({ reason, domain, since }: SearchOptions): string {
  return describeFilter({ reason, domain, since });
}
