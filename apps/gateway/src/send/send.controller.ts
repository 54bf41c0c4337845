import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Problem } from '@lettermill/problems';
import type { AccountRequest, BodyRequest } from '@lettermill/runtime';
import type { FastifyReply } from 'fastify';
import { Accept } from './accept';

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && IDEMPOTENCY_KEY.test(header)) return header;
  throw new Problem('request_malformed', 'Idempotency-Key must be 1 to 255 visible ASCII characters, once.');
}

/** The door of the send call (spec/send-email.md). */
@ApiTags('send')
@ApiBearerAuth()
@Controller('v2/send')
export class SendController {
  constructor(private readonly accept: Accept) {}

  @Post('email')
  @HttpCode(202)
  @ApiOperation({
    operationId: 'sendEmail',
    summary: 'Queue one message for each recipient',
    description: 'All recipients are accepted, or none. 202 is answered when every message is on the durable log.',
  })
  @ApiHeader({ name: 'Idempotency-Key', required: false, schema: { type: 'string', minLength: 1, maxLength: 255 } })
  @ApiBody({ schema: { $ref: '#/components/schemas/SendEmailRequest' } })
  @ApiResponse({
    status: 202,
    description: 'Accepted: the messages are queued for delivery',
    schema: { $ref: '#/components/schemas/SendEmailAck' },
  })
  async send(
    @Req() request: AccountRequest & BodyRequest,
    @Body() body: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (request.rawBody === undefined) throw new Problem('body_missing', 'The request has no body.');
    const { ack, replayed } = await this.accept.accept({
      accountId: request.accountId!,
      requestId: String(request.id),
      body,
      idempotencyKey: idempotencyKey(request.headers['idempotency-key']),
      traceparent: request.headers.traceparent as string | undefined,
    });
    if (replayed) void reply.header('idempotent-replayed', 'true');
    void reply.code(202).header('content-type', 'application/json; charset=utf-8').send(ack);
  }
}
