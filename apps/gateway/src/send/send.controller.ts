import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { BLOB_STORE, type BlobStore } from '@lettermill/blobs';
import { readJson } from '@lettermill/contract';
import { Problem } from '@lettermill/problems';
import type { Config } from '@lettermill/config';
import { CONFIG, isMultipart, LOGGER, type AccountRequest, type BodyRequest, type Logger } from '@lettermill/runtime';
import type { FastifyReply } from 'fastify';
import { readMultipart } from '../attachments/multipart';
import { SEND_ACCEPTED } from '../docs/send.document';
import { Accept } from './accept';
import type { Accepted, SendCall } from './send.request';

type Content = Pick<SendCall, 'body' | 'uploads'>;

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && IDEMPOTENCY_KEY.test(header)) return header;
  throw new Problem('request_malformed', 'Idempotency-Key must be given once, as 1 to 255 visible ASCII characters.');
}

/** Takes the body out of the request, so that its memory can be freed while the log is being written. */
function takeJson(request: BodyRequest): unknown {
  const { rawBody, body } = request;
  if (rawBody === undefined) throw new Problem('body_missing', 'The request has no body.');
  request.rawBody = undefined;
  request.body = undefined;
  return body;
}

export const SEND_PATH = '/v2/send/email';

/** The send call over HTTP. */
@ApiTags('send')
@Controller('v2/send')
export class SendController {
  constructor(
    private readonly accept: Accept,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Post('email')
  @HttpCode(202)
  @ApiOperation({
    operationId: 'sendEmail',
    summary: 'Queue one message for each recipient',
    description: 'All recipients are accepted, or none. You get the 202 when every message is on the durable log.',
  })
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'For 48 hours, the same key and body return the first 202 again.',
    schema: { type: 'string', pattern: IDEMPOTENCY_KEY.source },
  })
  @ApiResponse(SEND_ACCEPTED)
  async send(@Req() request: AccountRequest & BodyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { ack, requestId, replayed } = await this.acceptRequest(request);
    if (requestId !== request.id) this.logEarlier(request, requestId);
    if (replayed) void reply.header('idempotent-replayed', 'true');
    void reply.code(202).header('content-type', 'application/json; charset=utf-8').send(ack);
  }

  /** The 202 and the messages have the id of an earlier request, while the log line of this one, written elsewhere, has its own. */
  private logEarlier({ id: request_id, keyId: key_id }: AccountRequest, accepted_request_id: string): void {
    this.logger.info({ request_id, key_id, accepted_request_id }, 'answered in the place of an earlier request');
  }

  private async acceptRequest(request: AccountRequest & BodyRequest): Promise<Accepted> {
    const key = idempotencyKey(request.headers['idempotency-key']);
    const { body, uploads }: Content = isMultipart(request)
      ? await this.readForm(request)
      : { body: takeJson(request) };
    const parameters = Object.keys(request.query as object);
    return this.accept.accept({
      body,
      ...(parameters.length > 0 && { parameters }),
      uploads,
      accountId: request.accountId!,
      requestId: String(request.id),
      idempotencyKey: key,
      traceparent: request.headers.traceparent as string | undefined,
    });
  }

  /** Reads a form: the request as JSON, and the files beside it. */
  private async readForm(request: AccountRequest & BodyRequest): Promise<Content> {
    const { json, files } = await readMultipart(request, request.accountId!, this.blobs, this.config.maxBodyBytes);
    const read = readJson(json);
    if ('value' in read) return { body: read.value, uploads: files };
    await Promise.allSettled(files.map(({ draft }) => draft.discard()));
    throw new Problem(read.code, `Part json: ${read.detail}`);
  }
}
