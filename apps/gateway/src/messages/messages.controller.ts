import { Controller, Get, HttpCode, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { AccountRequest } from '@lettermill/runtime';
import type { FastifyReply } from 'fastify';
import { EXTERNAL_MESSAGE_ID_PATTERN, ID_PATTERN, isId, SLUG_PATTERN } from '@lettermill/contract';
import { Problem } from '@lettermill/problems';
import { instant } from '../docs/answer.schemas';
import { Paged } from '../docs/paged';
import { Forward } from '../owners/forward';
import { ParametersGuard } from '../parameters/parameters.guard';
import { MessageOrders } from './message.orders';

const textMatching = (pattern: string) => ({ type: 'string', pattern }) as const;

/** What became of each message: the gateway forwards these calls to the tracker. */
@ApiTags('messages')
@Controller('v2/messages')
@UseGuards(ParametersGuard)
export class MessagesController {
  constructor(
    private readonly forward: Forward,
    private readonly orders: MessageOrders,
  ) {}

  @Get()
  @ApiOperation({ operationId: 'searchMessages', summary: 'Find messages, newest first' })
  @ApiQuery({ name: 'external_message_id', required: false, schema: textMatching(EXTERNAL_MESSAGE_ID_PATTERN) })
  @ApiQuery({
    name: 'contact',
    required: false,
    schema: { type: 'string', minLength: 1, maxLength: 1000 },
    description: 'Contact id, value of a contact key, or address',
  })
  @ApiQuery({
    name: 'campaign',
    required: false,
    schema: textMatching(SLUG_PATTERN),
    description: 'Slug or id of the campaign',
  })
  @ApiQuery({
    name: 'state',
    required: false,
    style: 'form',
    explode: false,
    schema: { type: 'array', items: { $ref: '#/components/schemas/MessageState' }, minItems: 1 },
    description: 'Currently in one of these states',
  })
  @ApiQuery({
    name: 'reason',
    required: false,
    schema: { $ref: '#/components/schemas/ReasonCode' },
    description: 'Code of the current reason: why the message ended as it did, or waits',
  })
  @ApiQuery({ name: 'request_id', required: false, schema: { type: 'string', format: 'uuid' } })
  @ApiQuery({ name: 'from', required: false, schema: instant, description: 'Accepted at or after this time' })
  @ApiQuery({ name: 'to', required: false, schema: instant, description: 'Accepted at or before this time' })
  @Paged(textMatching('^[A-Za-z0-9_-]{24}$'))
  @ApiResponse({ status: 200, description: 'A page of messages', schema: { $ref: '#/components/schemas/MessageList' } })
  search(@Req() request: AccountRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.forward.to('tracker', request, reply);
  }

  @Get(':message_id')
  @ApiOperation({ operationId: 'getMessage', summary: 'One message: state, reason, timeline, attempts' })
  @ApiParam({ name: 'message_id', schema: textMatching(ID_PATTERN) })
  @ApiResponse({ status: 200, description: 'The message', schema: { $ref: '#/components/schemas/Message' } })
  get(@Req() request: AccountRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.forward.to('tracker', request, reply);
  }

  @Post(':message_id/cancel')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'cancelMessage',
    summary: 'Cancel a waiting message',
    description:
      'Works while the message is `accepted`, `queued`, `deferred` or `uncertain`. Repeating the call gives the same answer.',
  })
  @ApiParam({ name: 'message_id', schema: textMatching(ID_PATTERN) })
  @ApiResponse({
    status: 200,
    description: 'The message is cancelled',
    schema: { $ref: '#/components/schemas/MessageOrder' },
  })
  cancel(@Req() request: AccountRequest, @Res() reply: FastifyReply, @Param('message_id') id: string): Promise<void> {
    return this.orders.cancel(request, reply, checkedId(id));
  }

  @Post(':message_id/retry')
  @HttpCode(202)
  @ApiOperation({
    operationId: 'retryMessage',
    summary: 'Retry a message now: the same mail with the same Message-ID',
    description:
      'Works while the message is `deferred` or `uncertain`, and for a week after it bounced or failed at the next hop.',
  })
  @ApiParam({ name: 'message_id', schema: textMatching(ID_PATTERN) })
  @ApiResponse({
    status: 202,
    description: 'Another attempt is due',
    schema: { $ref: '#/components/schemas/MessageOrder' },
  })
  retry(@Req() request: AccountRequest, @Res() reply: FastifyReply, @Param('message_id') id: string): Promise<void> {
    return this.orders.retry(request, reply, checkedId(id));
  }
}

function checkedId(id: string): string {
  if (!isId(id)) throw new Problem('not_found', 'The account has no message with this id.');
  return id;
}
