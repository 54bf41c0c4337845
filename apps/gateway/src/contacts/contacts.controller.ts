import { Controller, Delete, Get, Put, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { AccountRequest, BodyRequest } from '@lettermill/runtime';
import type { FastifyReply } from 'fastify';
import { Paged } from '../docs/paged';
import { Forward } from '../owners/forward';
import { ChecksParameters, ParametersGuard } from '../parameters/parameters.guard';

const TEXT = { type: 'string' } as const;
const ADDRESS = { type: 'string', format: 'email' } as const;

const SUPPRESSION_SCHEMA = { schema: { $ref: '#/components/schemas/Suppression' } };
const CAUSE_EXAMPLES = {
  manual: { summary: 'Somebody asked for it', value: {} },
  moved: { summary: 'Known from another sender', value: { reason: 'complained' } },
};

const RELEASE_DESCRIPTION =
  'Removes the `reason` that the address shows. If a call has also suppressed it (`manual`), or the recipient has unsubscribed, the answer is 200 with that entry, which stands until another call removes it. So name the reason if a call without an answer may be repeated.';

const ReasonQuery = (description: string) =>
  ApiQuery({
    name: 'reason',
    required: false,
    description,
    schema: { $ref: '#/components/schemas/SuppressionReason' },
  });

/** Contacts and suppressions: the gateway forwards these calls to the contacts service, which owns the data. */
@ApiTags('contacts')
@Controller('v2')
@UseGuards(ParametersGuard)
export class ContactsController {
  constructor(private readonly forward: Forward) {}

  @Get('contacts/:key/:value')
  @ApiOperation({ operationId: 'getContact', summary: 'One contact, by one of its keys' })
  @ApiParam({ name: 'key', description: '`email`, `sms`, `id` or a custom key', schema: TEXT })
  @ApiParam({ name: 'value', schema: TEXT })
  @ApiResponse({ status: 200, description: 'The contact', schema: { $ref: '#/components/schemas/Contact' } })
  contact(@Req() request: AccountRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.forward.to('contacts', request, reply);
  }

  @Get('suppressions')
  @ApiOperation({ operationId: 'listSuppressions', summary: 'Addresses that get no mail, newest first' })
  @ReasonQuery('Only entries that show this `reason`')
  @Paged({ type: 'string', minLength: 1 })
  @ApiResponse({
    status: 200,
    description: 'A page of suppressions',
    schema: { $ref: '#/components/schemas/SuppressionList' },
  })
  suppressions(@Req() request: AccountRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.forward.to('contacts', request, reply);
  }

  @Get('suppressions/:address')
  @ApiOperation({ operationId: 'getSuppression', summary: 'Whether an address is suppressed, and why' })
  @ApiParam({ name: 'address', example: 'ada@example.com' })
  @ApiResponse({ status: 200, description: 'The suppression', schema: { $ref: '#/components/schemas/Suppression' } })
  suppression(@Req() request: AccountRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.forward.to('contacts', request, reply);
  }

  @Put('suppressions/:address')
  @ApiOperation({
    operationId: 'suppressAddress',
    summary: 'Suppress an address',
    description:
      'Applies to messages accepted from now on, and to a `retry`. Repeating the call changes nothing. If the address is already listed for a reason that holds back as much, that entry stays; `complained` takes the place of any other.',
  })
  @ApiParam({ name: 'address', schema: ADDRESS })
  @ApiBody({ required: false, schema: { $ref: '#/components/schemas/SuppressionCause' }, examples: CAUSE_EXAMPLES })
  @ApiResponse({ status: 201, description: 'The address was not suppressed before', ...SUPPRESSION_SCHEMA })
  @ApiResponse({ status: 200, description: 'The address was suppressed before', ...SUPPRESSION_SCHEMA })
  suppress(@Req() request: AccountRequest & BodyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.forward.to('contacts', request, reply);
  }

  @Delete('suppressions/:address')
  @ApiOperation({ operationId: 'removeSuppression', summary: 'Remove a suppression', description: RELEASE_DESCRIPTION })
  @ApiParam({ name: 'address', schema: TEXT })
  @ChecksParameters(true)
  @ReasonQuery('Only if the address shows this `reason`; 404 if it does not')
  @ApiResponse({ status: 204, description: 'The address is no longer suppressed' })
  @ApiResponse({ status: 200, description: 'The weaker entry that remains', ...SUPPRESSION_SCHEMA })
  unsuppress(@Req() request: AccountRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.forward.to('contacts', request, reply);
  }
}
