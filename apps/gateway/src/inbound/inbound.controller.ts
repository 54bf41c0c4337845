import { Controller, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Problem } from '@lettermill/problems';
import type { AccountRequest, BodyRequest } from '@lettermill/runtime';
import type { FastifyReply } from 'fastify';
import { Forward } from '../owners/forward';
import { ParametersGuard, ReadsBody } from '../parameters/parameters.guard';
import { MAIL_TYPES } from './mail.bodies';

/** Bytes of a report that are passed on. What matters comes first in it; the rest is the mail that was returned. */
export const MAX_REPORT_BYTES = 512 * 1024;

function mailOf(body: unknown): Buffer {
  if (body === undefined) throw new Problem('body_missing', 'Send the mail as message/rfc822.');
  if (!Buffer.isBuffer(body)) throw new Problem('content_type_unsupported', 'Send the mail as message/rfc822.');
  return body;
}

/** Bounces and complaints that reached a mailbox of the caller: dispatch reads and records them. */
@ApiTags('inbound')
@Controller('v2/inbound')
@UseGuards(ParametersGuard)
export class InboundController {
  constructor(private readonly forward: Forward) {}

  @Post('bounces')
  @ReadsBody(true)
  @ApiOperation({
    operationId: 'receiveBounce',
    summary: 'Report a bounce or complaint',
    description:
      'The body is the raw mail. 202: it is in the timeline of its message. 200: there was nothing to record.',
  })
  @ApiConsumes(...MAIL_TYPES)
  @ApiBody({ required: true, schema: { type: 'string', minLength: 1 } })
  @ApiResponse({
    status: 200,
    description: 'There was nothing to record',
    schema: { $ref: '#/components/schemas/InboundReport' },
  })
  @ApiResponse({
    status: 202,
    description: 'The report is in the timeline of its message',
    schema: { $ref: '#/components/schemas/InboundReport' },
  })
  async bounces(@Req() request: AccountRequest & BodyRequest, @Res() reply: FastifyReply): Promise<void> {
    const mail = mailOf(request.body);
    const body = Buffer.from(JSON.stringify({ raw: mail.subarray(0, MAX_REPORT_BYTES).toString('base64') }));
    const asked = { method: 'POST', path: '/v2/inbound/bounces', body };
    this.forward.answer(await this.forward.ask('dispatch', request, asked), reply);
  }
}
