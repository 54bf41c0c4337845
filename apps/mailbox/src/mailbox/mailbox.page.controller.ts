import { Controller, Get, Inject, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { contentTag, withSecurityHeaders, isNotModified } from './mailbox.answers';
import { MailboxGuard } from './mailbox.guard';
import { PAGE_CSS } from './page.css';
import { pageHtml } from './page.html';
import { PAGE_SCRIPT } from './page.script';

/** The SMTP address for other programs, as the page shows it. */
export const SMTP_ADDRESS = Symbol('SmtpAddress');
/** Address of the API; null if it is that of the page. */
export const API_URL = Symbol('ApiUrl');

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const STYLE_TAG = contentTag(PAGE_CSS);
const SCRIPT_TAG = contentTag(PAGE_SCRIPT);

/** An address that contains the tag of its content never changes; any other must be revalidated. */
const cacheControl = (tagged: boolean): string =>
  tagged ? 'private, max-age=31536000, immutable' : 'private, no-cache';

/** The page: fixed text that contains nothing of any mail. */
@ApiExcludeController()
@UseGuards(MailboxGuard)
@Controller('mailbox')
export class MailboxPageController {
  private readonly page: string;
  private readonly pageTag: string;

  constructor(@Inject(SMTP_ADDRESS) smtp: string, @Inject(API_URL) apiUrl: string | null) {
    this.page = pageHtml({
      smtp,
      apiUrl: apiUrl ?? undefined,
      style: `app.css?v=${STYLE_TAG}`,
      script: `app.js?v=${SCRIPT_TAG}`,
    });
    this.pageTag = contentTag(this.page);
  }

  @Get()
  html(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): string | undefined {
    withSecurityHeaders(reply, PAGE_POLICY, cacheControl(false)).header('cross-origin-opener-policy', 'same-origin');
    if (isNotModified(request, reply, this.pageTag)) return undefined;
    void reply.type('text/html; charset=utf-8');
    return this.page;
  }

  @Get('app.css')
  style(
    @Query('v') v: string | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    withSecurityHeaders(reply, PAGE_POLICY, cacheControl(v === STYLE_TAG));
    if (isNotModified(request, reply, STYLE_TAG)) return undefined;
    void reply.type('text/css; charset=utf-8');
    return PAGE_CSS;
  }

  @Get('app.js')
  script(
    @Query('v') v: string | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    withSecurityHeaders(reply, PAGE_POLICY, cacheControl(v === SCRIPT_TAG));
    if (isNotModified(request, reply, SCRIPT_TAG)) return undefined;
    void reply.type('text/javascript; charset=utf-8');
    return PAGE_SCRIPT;
  }
}
