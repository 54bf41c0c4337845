import { Body, Controller, Post, Res, UseGuards } from '@nestjs/common';
import { Problem } from '@lettermill/problems';
import { AccountId, InternalGuard } from '@lettermill/runtime';
import type { FastifyReply } from 'fastify';
import { InboundReports } from './inbound';

/** A mail as the gateway and the mailbox hand it on. */
interface InboundBody {
  /** Base64. */
  raw: string;
  envelope_to?: string;
}

function isInboundBody(body: unknown): body is InboundBody {
  const { raw, envelope_to: to } = (body ?? {}) as Partial<InboundBody>;
  return typeof raw === 'string' && (to === undefined || typeof to === 'string');
}

/** Takes bounces and complaints from the gateway and the mailbox. */
@Controller('v2/inbound/bounces')
@UseGuards(InternalGuard)
export class InboundController {
  constructor(private readonly inbound: InboundReports) {}

  /** Answers 202 if something was recorded, 200 if there was nothing to record. */
  @Post()
  async take(@AccountId() accountId: string, @Body() body: unknown, @Res() reply: FastifyReply): Promise<void> {
    if (!isInboundBody(body)) throw new Problem('request_malformed', 'There is no mail in the request.');
    const { raw, envelope_to: to = null } = body;
    const answer = await this.inbound.take({ accountId, raw: Buffer.from(raw, 'base64'), envelopeTo: to });
    void reply.code(answer.recorded ? 202 : 200).send(answer);
  }
}
