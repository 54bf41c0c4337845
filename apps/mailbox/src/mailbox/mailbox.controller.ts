import {
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Query,
  Req,
  Res,
  StreamableFile,
  UseGuards,
} from '@nestjs/common';
import { ApiOperation, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Problem } from '@lettermill/problems';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Email } from 'postal-mime';
import { downloadAs } from './content.disposition';
import { frameHtml, framePolicy, type InlineImage } from './mail.html';
import { bytesOf, cidOf, contentTypeOf, fileNameOf, type MailSummary, type ParsedMail } from './mail.parsed';
import { DATA_POLICY, withSecurityHeaders, isNotModified, noSuchMail, readLimit } from './mailbox.answers';
import {
  LIMIT_PARAMETER,
  MAIL_FILE,
  MAIL_HTML,
  MAIL_LIST,
  ONE_MAIL,
  RAW_MAIL,
  REMOTE_PARAMETER,
  REMOVED,
  VIEW_PARAMETER,
} from './mailbox.openapi';
import { MailboxGuard } from './mailbox.guard';
import { MailStore } from './mailbox.store';

function imagesOf({ attachments }: Email): Map<string, InlineImage> {
  const images = new Map<string, InlineImage>();
  for (const attachment of attachments) {
    const cid = cidOf(attachment);
    const contentType = contentTypeOf(attachment);
    if (cid && contentType.startsWith('image/')) images.set(cid, { contentType, bytes: bytesOf(attachment) });
  }
  return images;
}

/** The mails as JSON, as html for the frame of the page, and as received. */
@ApiTags('mailbox')
@UseGuards(MailboxGuard)
@Controller('mailbox/api/messages')
export class MailboxController {
  constructor(@Inject(MailStore) private readonly store: MailStore) {}

  @Get()
  @ApiOperation({ operationId: 'listMails', summary: 'The mails in the built-in mailbox, newest first' })
  @ApiQuery(LIMIT_PARAMETER)
  @ApiResponse(MAIL_LIST)
  list(
    @Query('limit') limit: string | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): { data: MailSummary[] } | undefined {
    const count = readLimit(limit);
    withSecurityHeaders(reply, DATA_POLICY, 'private, no-cache');
    if (isNotModified(request, reply, `${this.store.version()}.${count ?? 'all'}`)) return undefined;
    return { data: this.store.list(count) };
  }

  @Delete()
  @HttpCode(204)
  @ApiOperation({ operationId: 'clearMailbox', summary: 'Clear the mailbox' })
  @ApiResponse(REMOVED)
  async clear(): Promise<void> {
    await this.store.clear();
  }

  @Get(':id')
  @ApiOperation({ operationId: 'getMail', summary: 'One mail, parsed' })
  @ApiResponse(ONE_MAIL)
  async read(@Param('id') id: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<ParsedMail> {
    const mail = await this.store.get(id);
    if (!mail) throw noSuchMail();
    withSecurityHeaders(reply, DATA_POLICY);
    return mail;
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ operationId: 'removeMail', summary: 'Remove one mail' })
  @ApiResponse(REMOVED)
  async remove(@Param('id') id: string): Promise<void> {
    if (!(await this.store.remove(id))) throw noSuchMail();
  }

  @Get(':id/raw')
  @ApiOperation({ operationId: 'getRawMail', summary: 'One mail as received' })
  @ApiQuery(VIEW_PARAMETER)
  @ApiResponse(RAW_MAIL)
  async raw(
    @Param('id') id: string,
    @Query('view') view: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const mail = await this.store.raw(id);
    if (!mail) throw noSuchMail();
    withSecurityHeaders(reply, DATA_POLICY);
    return view === undefined
      ? new StreamableFile(mail.stream, {
          type: 'message/rfc822',
          disposition: downloadAs(`${id}.eml`),
          length: mail.size,
        })
      : new StreamableFile(mail.stream, { type: 'text/plain; charset=utf-8', length: mail.size });
  }

  @Get(':id/html')
  @ApiOperation({ operationId: 'getMailHtml', summary: 'The HTML of one mail, for a frame' })
  @ApiQuery(REMOTE_PARAMETER)
  @ApiResponse(MAIL_HTML)
  async html(
    @Param('id') id: string,
    @Query('remote') remote: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const mime = await this.store.mime(id);
    if (!mime) throw noSuchMail();
    if (mime.html === undefined) throw new Problem('not_found', 'The mail has no HTML.');
    withSecurityHeaders(reply, framePolicy(remote === '1')).type('text/html; charset=utf-8');
    return frameHtml(mime.html, imagesOf(mime));
  }

  @Get(':id/attachments/:index')
  @ApiOperation({ operationId: 'getMailAttachment', summary: 'One attachment, as a download' })
  @ApiResponse(MAIL_FILE)
  async attachment(
    @Param('id') id: string,
    @Param('index') index: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const mime = await this.store.mime(id);
    if (!mime) throw noSuchMail();
    const attachment = /^\d{1,4}$/.test(index) ? mime.attachments[Number(index)] : undefined;
    if (!attachment) throw new Problem('not_found', 'The mail has no such attachment.');
    const bytes = bytesOf(attachment);
    withSecurityHeaders(reply, DATA_POLICY);
    return new StreamableFile(bytes, {
      type: contentTypeOf(attachment),
      disposition: downloadAs(fileNameOf(attachment, Number(index))),
      length: bytes.length,
    });
  }
}
