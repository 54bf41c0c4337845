import { Body, Controller, Delete, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { AccountRequest } from '@lettermill/runtime';
import type { FastifyReply } from 'fastify';
import { ID_PATTERN, keyNameFaults, type KeyName } from '@lettermill/contract';
import { validationFailed } from '@lettermill/problems';
import { AccountKeys, type KeyAnswer, type NewKeyAnswer } from './account.keys';
import { bearerKey, hashApiKey } from './api.key';

const NOT_TO_BE_KEPT = {
  'Cache-Control': {
    description: 'No cache keeps the key',
    schema: { type: 'string' as const, enum: ['no-store'] },
    required: true,
    example: 'no-store',
  },
};

const NAMES = {
  unnamed: { summary: 'Without a name', value: {} },
  named: { summary: 'With a name to know it by', value: { name: 'billing, production' } },
};

/** The API keys of an account, made and revoked with any of them. */
@ApiTags('keys')
@Controller('v2/keys')
export class KeysController {
  constructor(private readonly keys: AccountKeys) {}

  @Get()
  @ApiOperation({
    operationId: 'listKeys',
    summary: 'The keys of the account, oldest first; never the keys themselves',
  })
  @ApiResponse({ status: 200, schema: { $ref: '#/components/schemas/KeyList' } })
  async list(@Req() request: AccountRequest): Promise<{ data: KeyAnswer[] }> {
    return { data: await this.keys.list(request.accountId!, shown(request)) };
  }

  @Post()
  @HttpCode(201)
  @ApiOperation({
    operationId: 'makeKey',
    summary: 'Make another key',
    description: 'It is shown this once. Other gateways take it within 5 seconds.',
  })
  @ApiBody({ required: false, schema: { $ref: '#/components/schemas/KeyName' }, examples: NAMES })
  @ApiResponse({ status: 201, schema: { $ref: '#/components/schemas/NewKey' }, headers: NOT_TO_BE_KEPT })
  async make(
    @Req() request: AccountRequest,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NewKeyAnswer> {
    const made = await this.keys.make(request.accountId!, nameOf(body));
    void reply.header('cache-control', 'no-store');
    return made;
  }

  @Delete(':key_id')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'revokeKey',
    summary: 'Revoke a key',
    description:
      'It is refused here at once, by other gateways within 5 seconds. The key that the call is made with can not be revoked.',
  })
  @ApiParam({ name: 'key_id', schema: { type: 'string', pattern: ID_PATTERN } })
  @ApiResponse({ status: 204, description: 'It is refused from now on' })
  revoke(@Req() request: AccountRequest, @Param('key_id') id: string): Promise<void> {
    return this.keys.revoke(request.accountId!, id, shown(request));
  }
}

/** Throws the 422 problem with every fault. */
function nameOf(body: unknown = {}): string | null {
  const faults = keyNameFaults(body);
  if (faults.length > 0) throw validationFailed(faults, 'changed');
  return (body as KeyName).name ?? null;
}

/** The hash of the key that the call was made with. */
function shown({ headers }: AccountRequest): string {
  return hashApiKey(bearerKey(headers.authorization)!).toString('hex');
}
