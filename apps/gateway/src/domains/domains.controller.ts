import { Controller, Delete, Get, HttpCode, Post, Put, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { AccountRequest, BodyRequest } from '@lettermill/runtime';
import type { FastifyReply } from 'fastify';
import { Paged } from '../docs/paged';
import { Forward } from '../owners/forward';
import { ParametersGuard } from '../parameters/parameters.guard';

const DOMAIN_PARAM = ApiParam({
  name: 'domain',
  description: 'Domain of the senders, or a parent domain; U-labels are converted to A-labels',
  example: 'shop.example',
  schema: { type: 'string', minLength: 3, maxLength: 253 },
});
const SETUP_EXAMPLES = {
  made: { summary: 'Generated keys and selector', value: {} },
  named: { summary: 'A selector of your choice', value: { selector: 'mail2026' } },
  rotated: { summary: 'New keys; the old ones sign until these are verified', value: { rotate: true } },
};
const DOMAIN_SCHEMA = { schema: { $ref: '#/components/schemas/Domain' } };

/** Domains whose mails are signed (DKIM): the gateway forwards these calls to dispatch, which owns the domains and signs. */
@ApiTags('domains')
@Controller('v2/domains')
@UseGuards(ParametersGuard)
export class DomainsController {
  constructor(private readonly forward: Forward) {}

  @Put(':domain')
  @ApiOperation({
    operationId: 'setUpDomain',
    summary: 'Make keys for a domain, or change how its mails are signed',
    description:
      'Returns the DNS records to publish. Repeating the call changes nothing. `rotate`, a new selector or a new key makes new keys; the old ones sign until the new ones are verified.',
  })
  @DOMAIN_PARAM
  @ApiBody({ required: false, schema: { $ref: '#/components/schemas/DomainSetup' }, examples: SETUP_EXAMPLES })
  @ApiResponse({ status: 201, description: 'A new domain', ...DOMAIN_SCHEMA })
  @ApiResponse({ status: 200, description: 'The domain as it is now', ...DOMAIN_SCHEMA })
  put(@Req() request: AccountRequest & BodyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.forward.to('dispatch', request, reply);
  }

  @Get()
  @ApiOperation({ operationId: 'listDomains', summary: 'Domains set up for signing, by name' })
  @Paged({ type: 'string', pattern: '^[a-z0-9.-]{1,253}$' })
  @ApiResponse({ status: 200, description: 'A page of domains', schema: { $ref: '#/components/schemas/DomainList' } })
  list(@Req() request: AccountRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.forward.to('dispatch', request, reply);
  }

  @Get(':domain')
  @ApiOperation({ operationId: 'getDomain', summary: 'One domain: its DNS records, and whether its mails are signed' })
  @DOMAIN_PARAM
  @ApiResponse({ status: 200, description: 'The domain', ...DOMAIN_SCHEMA })
  get(@Req() request: AccountRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.forward.to('dispatch', request, reply);
  }

  @Delete(':domain')
  @ApiOperation({
    operationId: 'removeDomain',
    summary: 'Remove a domain and its keys; its mails are then sent unsigned',
  })
  @DOMAIN_PARAM
  @ApiResponse({ status: 204, description: 'The domain and its keys are removed' })
  remove(@Req() request: AccountRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.forward.to('dispatch', request, reply);
  }

  @Post(':domain/verify')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'verifyDomain',
    summary: 'Look up the DNS records of a domain',
    description:
      'Keys whose records are all found are verified, and stay so; new keys then replace the old ones. Each record shows what was `found`. While keys wait for their records, these are also looked up automatically: every hour, later once a day, for 30 days.',
  })
  @DOMAIN_PARAM
  @ApiResponse({ status: 200, description: 'The domain, with what DNS has', ...DOMAIN_SCHEMA })
  verify(@Req() request: AccountRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.forward.to('dispatch', request, reply);
  }
}
