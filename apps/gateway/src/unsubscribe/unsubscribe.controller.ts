import { Controller, Get, Headers, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Problem, unavailable } from '@lettermill/problems';
import type { Config } from '@lettermill/config';
import { CONFIG, readUnsubscribeToken, type Unsubscribe } from '@lettermill/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { causeOf, OwnerClient } from '../owners/owner.client';
import { askPage, brokenLinkPage, donePage, tryAgainPage, PAGE_POLICY } from './unsubscribe.page';

/**
 * Unsubscribe links in mails (RFC 8058), for people and their mail programs: a signed token instead of a key. Only a POST changes anything.
 */
@ApiExcludeController()
@Controller('unsubscribe')
export class UnsubscribeController {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly owners: OwnerClient,
  ) {}

  /** Changes nothing: link scanners come here, too. */
  @Get(':token')
  ask(
    @Param('token') token: string,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): string {
    return this.readToken(token) ? page(reply, askPage()) : refuseLink(accept, reply);
  }

  @Post(':token')
  @HttpCode(200)
  async unsubscribe(
    @Param('token') token: string,
    @Headers('accept') accept: string | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const who = this.readToken(token);
    if (!who) return refuseLink(accept, reply);
    try {
      await this.record(who, request);
    } catch (error) {
      if (!(error instanceof Problem) || !isPerson(accept)) throw error;
      return page(reply.code(error.status).headers(error.headers), tryAgainPage());
    }
    return page(reply, donePage());
  }

  private async record({ accountId, messageId, address }: Unsubscribe, request: FastifyRequest): Promise<void> {
    const { status } = await this.owners.call('contacts', {
      accountId,
      method: 'POST',
      path: '/v2/suppressions/unsubscribed',
      body: Buffer.from(JSON.stringify({ address, message_id: messageId })),
      ...causeOf(request),
    });
    if (status !== 204) throw unavailable('The unsubscription could not be recorded. Try again.');
  }

  private readToken(token: string): Unsubscribe | undefined {
    const { internalSecret, formerInternalSecret } = this.config;
    const secrets = [internalSecret, formerInternalSecret].filter((secret) => secret !== null);
    return secrets.map((secret) => readUnsubscribeToken(secret, token)).find((who) => who !== undefined);
  }
}

const isPerson = (accept: string | undefined): boolean => accept?.includes('text/html') ?? false;

/** Answers people with a page: their link may have lost a letter on the way. */
function refuseLink(accept: string | undefined, reply: FastifyReply): string {
  if (isPerson(accept)) return page(reply.code(404), brokenLinkPage());
  throw new Problem('not_found', 'This link is not one of ours.');
}

function page(reply: FastifyReply, html: string): string {
  void reply
    .header('content-security-policy', PAGE_POLICY)
    .header('referrer-policy', 'no-referrer')
    .header('x-robots-tag', 'noindex')
    .type('text/html; charset=utf-8');
  return html;
}
