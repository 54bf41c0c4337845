import { Resolver } from 'node:dns/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '@lettermill/config';
import { CONFIG } from '@lettermill/runtime';
import type { LookupResult } from './domain.records';

/** Per query and server; each is queried twice. */
const QUERY_TIMEOUT_MS = 1_500;
/** All queries of a call together; the gateway waits for ten seconds. */
const TOTAL_TIMEOUT_MS = 6_000;
const NO_RECORD_CODES = new Set(['ENOTFOUND', 'ENODATA']);

/** Queries DNS for TXT records, at DNS_SERVERS or the machine's servers. Caches nothing. */
@Injectable()
export class DnsLookup {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** The results by name. Never rejects. */
  async txt(names: readonly string[]): Promise<Map<string, LookupResult>> {
    const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: 2 });
    if (this.config.dnsServers) resolver.setServers(this.config.dnsServers);
    const timer = setTimeout(() => resolver.cancel(), TOTAL_TIMEOUT_MS);
    try {
      return new Map(await Promise.all(names.map(async (name) => [name, await queryTxt(resolver, name)] as const)));
    } finally {
      clearTimeout(timer);
    }
  }
}

async function queryTxt(resolver: Resolver, name: string): Promise<LookupResult> {
  try {
    return (await resolver.resolveTxt(name)).map((strings) => strings.join(''));
  } catch (error) {
    return NO_RECORD_CODES.has((error as NodeJS.ErrnoException).code ?? '') ? 'missing' : 'unreachable';
  }
}
