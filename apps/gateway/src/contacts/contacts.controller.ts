import { Controller, Delete, Get, Put, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { SUPPRESSION_REASONS } from '@lettermill/contract';
import type { AccountRequest, BodyRequest } from '@lettermill/runtime';
import type { FastifyReply } from 'fastify';
import { Paged } from '../docs/paged';
import { Forward } from '../owners/forward';

const TEXT = { type: 'string' } as const;
const ADDRESS = { type: 'string', format: 'email' } as const;

const SUPPRESSION = { schema: { $ref: '#/components/schemas/Suppression' } };
const CAUSES = {
  manual: { summary: 'Somebody asked for it', value: {} },
  moved: { summary: 'What another sender has learnt', value: { reason: 'complained' } },
};

const RELEASE =
  'It takes off the reason that the address shows. Where somebody has unsubscribed besides, that is the answer: mails of campaigns with unsubscribe links are held back still, until a second call.';

/** Contacts and suppressions: asked here, kept by the contacts service. */
@ApiTags('contacts')
@Controller('v2')
export class ContactsController {
  constructor(private readonly forward: Forward) {}

  @Get('contacts/:key/:value')
  @ApiOperation({ operationId: 'getContact', summary: 'One contact by one of its keys' })
  @ApiParam({ name: 'key', description: 'email, sms, id or a custom key', schema: TEXT })
  @ApiParam({ name: 'value', schema: TEXT })
  @ApiResponse({ status: 200, schema: { $ref: '#/components/schemas/Contact' } })
  contact(@Req() request: AccountRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.forward.to('contacts', request, reply);
  }

  @Get('suppressions')
  @ApiOperation({ operationId: 'listSuppressions', summary: 'Addresses that are not written to, newest first' })
  @ApiQuery({
    ...{ name: 'reason', required: false, description: 'the reason that the entry shows' },
    schema: { type: 'string', enum: [...SUPPRESSION_REASONS] },
  })
  @Paged({ type: 'string', minLength: 1 })
  @ApiResponse({ status: 200, schema: { $ref: '#/components/schemas/SuppressionList' } })
  suppressions(@Req() request: AccountRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.forward.to('contacts', request, reply);
  }

  @Get('suppressions/:address')
  @ApiOperation({ operationId: 'getSuppression', summary: 'Whether an address is suppressed, and why' })
  @ApiParam({ name: 'address', example: 'ada@example.com' })
  @ApiResponse({ status: 200, schema: { $ref: '#/components/schemas/Suppression' } })
  suppression(@Req() request: AccountRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.forward.to('contacts', request, reply);
  }

  @Put('suppressions/:address')
  @ApiOperation({
    operationId: 'suppressAddress',
    summary: 'Not write to an address any more',
    description:
      'It counts for messages that are accepted from now on. Asked again, it changes nothing; a cause that holds back more stays.',
  })
  @ApiParam({ name: 'address', schema: ADDRESS })
  @ApiBody({ required: false, schema: { $ref: '#/components/schemas/SuppressionCause' }, examples: CAUSES })
  @ApiResponse({ status: 201, description: 'It was not suppressed before', ...SUPPRESSION })
  @ApiResponse({ status: 200, description: 'It was suppressed before', ...SUPPRESSION })
  suppress(@Req() request: AccountRequest & BodyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.forward.to('contacts', request, reply);
  }

  @Delete('suppressions/:address')
  @ApiOperation({ operationId: 'removeSuppression', summary: 'Write to an address again', description: RELEASE })
  @ApiParam({ name: 'address', schema: TEXT })
  @ApiResponse({ status: 204, description: 'It is not suppressed any more' })
  @ApiResponse({ status: 200, description: 'The unsubscription that still stands', ...SUPPRESSION })
  unsuppress(@Req() request: AccountRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.forward.to('contacts', request, reply);
  }
}
