import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query, Res, UseGuards } from '@nestjs/common';
import { Problem, validationFailed, type Fault } from '@lettermill/problems';
import { AccountId, InternalGuard } from '@lettermill/runtime';
import type { FastifyReply } from 'fastify';
import { domainBody, type DomainBody } from './domain.answer';
import { domainName } from './domain.name';
import { Domains } from './domains';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
const CURSOR = /^[a-z0-9.-]{1,253}$/;

/** Domains whose mails are signed, for the gateway. */
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
    const { created, domain } = await this.domains.put({ accountId, domain: wanted(name) }, body);
    void reply.status(created ? 201 : 200);
    return domainBody(domain);
  }

  /** By name; `next_cursor` is null on the last page. */
  @Get()
  async list(
    @AccountId() accountId: string,
    @Query() query: Record<string, unknown>,
  ): Promise<{ data: DomainBody[]; next_cursor: string | null }> {
    const { limit, after } = readQuery(query);
    const found = await this.domains.list(accountId, limit + 1, after);
    const page = found.slice(0, limit);
    return {
      data: page.map((domain) => domainBody(domain)),
      next_cursor: found.length > limit ? page.at(-1)!.domain : null,
    };
  }

  @Get(':domain')
  async get(@AccountId() accountId: string, @Param('domain') name: string): Promise<DomainBody> {
    return domainBody(await this.domains.get({ accountId, domain: known(name) }));
  }

  @Delete(':domain')
  @HttpCode(204)
  remove(@AccountId() accountId: string, @Param('domain') name: string): Promise<void> {
    return this.domains.remove({ accountId, domain: known(name) });
  }

  @Post(':domain/verify')
  @HttpCode(200)
  async verify(@AccountId() accountId: string, @Param('domain') name: string): Promise<DomainBody> {
    const { domain, found } = await this.domains.verify({ accountId, domain: known(name) });
    return domainBody(domain, found);
  }
}

/** Of what is no domain there is none. */
function known(text: string): string {
  const name = domainName(text);
  if ('domain' in name) return name.domain;
  throw new Problem('not_found', 'The account has no domain of this name.');
}

function wanted(text: string): string {
  const name = domainName(text);
  if ('domain' in name) return name.domain;
  throw validationFailed([{ pointer: '', code: 'invalid_domain', detail: `the domain in the path: ${name.fault}` }]);
}

function readQuery(query: Record<string, unknown>): { limit: number; after: string } {
  const faults: Fault[] = [];
  const read = { limit: DEFAULT_LIMIT, after: '' };
  for (const [name, value] of Object.entries(query)) {
    const pointer = `/query/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const text = typeof value === 'string' ? value : '';
    if (name === 'limit') {
      read.limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
      if (read.limit < 1 || read.limit > MAX_LIMIT)
        faults.push({ pointer, code: 'bad_format', detail: `Must be a whole number, 1 to ${MAX_LIMIT}.` });
    } else if (name === 'cursor') {
      read.after = text;
      if (!CURSOR.test(text))
        faults.push({ pointer, code: 'bad_format', detail: 'Must be a next_cursor of this list.' });
    } else {
      faults.push({ pointer, code: 'unknown_property', detail: 'This list takes limit and cursor.' });
    }
  }
  if (faults.length > 0) throw validationFailed(faults);
  return read;
}
