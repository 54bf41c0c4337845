import { Controller, Delete, Get, HttpCode, Post, Put, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { AccountRequest, BodyRequest } from '@lettermill/runtime';
import type { FastifyReply } from 'fastify';
import { Paged } from '../docs/paged';
import { Forward } from '../owners/forward';

const NAMED = ApiParam({
  name: 'domain',
  description: 'Domain of the senders, or one above it; U-labels are taken as A-labels',
  example: 'shop.example',
  schema: { type: 'string', minLength: 3, maxLength: 253 },
});
const SETUPS = {
  made: { summary: 'Keys and selector are made', value: {} },
  named: { summary: 'A selector of your choice', value: { selector: 'mail2026' } },
  rotated: { summary: 'New keys; those before sign until these are verified', value: { rotate: true } },
};
const DOMAIN = { schema: { $ref: '#/components/schemas/Domain' } };

/** Domains whose mails are signed (DKIM): asked here, kept by dispatch, which signs. */
@ApiTags('domains')
@Controller('v2/domains')
export class DomainsController {
  constructor(private readonly forward: Forward) {}

  @Put(':domain')
  @ApiOperation({
    operationId: 'setUpDomain',
    summary: 'Make keys for a domain, or change how its mails are signed',
    description:
      'Answers the DNS records to publish. The same call again changes nothing; `rotate`, a new selector or a new key makes new keys, and those before sign until the new ones are verified.',
  })
  @NAMED
  @ApiBody({ required: false, schema: { $ref: '#/components/schemas/DomainSetup' }, examples: SETUPS })
  @ApiResponse({ status: 201, description: 'A new domain', ...DOMAIN })
  @ApiResponse({ status: 200, description: 'The domain as it is now', ...DOMAIN })
  put(@Req() request: AccountRequest & BodyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.forward.to('dispatch', request, reply);
  }

  @Get()
  @ApiOperation({ operationId: 'listDomains', summary: 'Domains whose mails are signed, by name' })
  @Paged({ type: 'string', pattern: '^[a-z0-9.-]{1,253}$' })
  @ApiResponse({ status: 200, schema: { $ref: '#/components/schemas/DomainList' } })
  list(@Req() request: AccountRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.forward.to('dispatch', request, reply);
  }

  @Get(':domain')
  @ApiOperation({ operationId: 'getDomain', summary: 'One domain: its records, and whether it signs' })
  @NAMED
  @ApiResponse({ status: 200, ...DOMAIN })
  get(@Req() request: AccountRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.forward.to('dispatch', request, reply);
  }

  @Delete(':domain')
  @ApiOperation({ operationId: 'removeDomain', summary: 'Forget a domain and its keys; its mails leave unsigned' })
  @NAMED
  @ApiResponse({ status: 204, description: 'Its keys are gone' })
  remove(@Req() request: AccountRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.forward.to('dispatch', request, reply);
  }

  @Post(':domain/verify')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'verifyDomain',
    summary: 'Look the records of a domain up in DNS',
    description:
      'Keys whose records are all found are verified, for good; new keys then take the place of those before. Each record has what was `found`. Records that are awaited are looked up about every hour, too.',
  })
  @NAMED
  @ApiResponse({ status: 200, ...DOMAIN })
  verify(@Req() request: AccountRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.forward.to('dispatch', request, reply);
  }
}
