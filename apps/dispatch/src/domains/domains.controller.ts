import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query, Res, UseGuards } from '@nestjs/common';
import { validationFailed } from '@lettermill/problems';
import { AccountId, InternalGuard, pageOf, readPageQuery, type Page } from '@lettermill/runtime';
import type { FastifyReply } from 'fastify';
import type { SendingDomain } from './domain';
import { domainBody, type DomainBody } from './domain.answer';
import { parseDomainName } from './domain.name';
import type { LookupResult } from './domain.records';
import { Domains, unknownDomain } from './domains';

/** A page begins after the last domain of the previous one. */
const domainOfCursor = (cursor: string) => /^[a-z0-9.-]{1,253}$/.exec(cursor)?.[0];

/** Domains whose mails are signed; called by the gateway. */
@Controller('v2/domains')
@UseGuards(InternalGuard)
export class DomainsController {
  constructor(private readonly domains: Domains) {}

  @Put(':domain')
  async put(
    @AccountId() accountId: string,
    @Param('domain') name: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DomainBody> {
    const { created, domain } = await this.domains.put({ accountId, domain: requestedDomain(name) }, body);
    void reply.status(created ? 201 : 200);
    return this.bodyOf(domain);
  }

  /** Sorted by name; `next_cursor` is null on the last page. */
  @Get()
  async list(@AccountId() accountId: string, @Query() query: Record<string, unknown>): Promise<Page<DomainBody>> {
    const { limit, after } = readPageQuery(query, domainOfCursor);
    const found = await this.domains.list(accountId, limit + 1, after ?? '');
    return pageOf(
      found,
      limit,
      (one) => this.bodyOf(one),
      ({ domain }) => domain,
    );
  }

  @Get(':domain')
  async get(@AccountId() accountId: string, @Param('domain') name: string): Promise<DomainBody> {
    return this.bodyOf(await this.domains.get({ accountId, domain: knownDomain(name) }));
  }

  @Delete(':domain')
  @HttpCode(204)
  remove(@AccountId() accountId: string, @Param('domain') name: string): Promise<void> {
    return this.domains.remove({ accountId, domain: knownDomain(name) });
  }

  @Post(':domain/verify')
  @HttpCode(200)
  async verify(@AccountId() accountId: string, @Param('domain') name: string): Promise<DomainBody> {
    const { domain, found } = await this.domains.verify({ accountId, domain: knownDomain(name) });
    return this.bodyOf(domain, found);
  }

  private bodyOf(domain: SendingDomain, found?: ReadonlyMap<string, LookupResult>): DomainBody {
    return domainBody(domain, this.domains.signs(domain), found);
  }
}

/** A text that is no domain name names no domain of the account. */
function knownDomain(text: string): string {
  const name = parseDomainName(text);
  if ('domain' in name) return name.domain;
  throw unknownDomain();
}

function requestedDomain(text: string): string {
  const name = parseDomainName(text);
  if ('domain' in name) return name.domain;
  const detail = `the domain in the path: ${name.fault}`;
  throw validationFailed([{ pointer: '', code: 'invalid_domain', detail }], 'changed');
}
