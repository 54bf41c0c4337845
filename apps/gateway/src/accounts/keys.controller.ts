import { Body, Controller, Delete, Get, HttpCode, Param, Post, Req, UseGuards } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { AccountRequest } from '@lettermill/runtime';
import { ID_PATTERN, keyNameFaults, type KeyName } from '@lettermill/contract';
import { validationFailed } from '@lettermill/problems';
import { ParametersGuard, ReadsBody } from '../parameters/parameters.guard';
import { AccountKeys, type KeyAnswer, type NewKeyAnswer } from './account.keys';
import { bearerKey, hashApiKey } from './api.key';

const NO_STORE_HEADER = {
  'Cache-Control': {
    description: 'Keeps the key out of caches',
    schema: { type: 'string' as const, enum: ['no-store'] },
    required: true,
    example: 'no-store',
  },
};

const NAME_EXAMPLES = {
  unnamed: { summary: 'Without a name', value: {} },
  named: { summary: 'With a name', value: { name: 'billing, production' } },
};

/** The API keys of an account; any of its keys may create and revoke them. */
@ApiTags('keys')
@Controller('v2/keys')
@UseGuards(ParametersGuard)
export class KeysController {
  constructor(private readonly keys: AccountKeys) {}

  @Get()
  @ApiOperation({
    operationId: 'listKeys',
    summary: 'The keys of the account by id and name, oldest first; the keys themselves are not shown',
  })
  @ApiResponse({ status: 200, description: 'The keys', schema: { $ref: '#/components/schemas/KeyList' } })
  async list(@Req() request: AccountRequest): Promise<{ data: KeyAnswer[] }> {
    return { data: await this.keys.list(request.accountId!, usedKeyHash(request)) };
  }

  @Post()
  @ReadsBody(true)
  @HttpCode(201)
  @ApiOperation({
    operationId: 'makeKey',
    summary: 'Create a key',
    description: 'The key is shown only this once. Other gateways accept it within 5 seconds.',
  })
  @ApiBody({ required: false, schema: { $ref: '#/components/schemas/KeyName' }, examples: NAME_EXAMPLES })
  @ApiResponse({
    status: 201,
    description: 'The new key',
    schema: { $ref: '#/components/schemas/NewKey' },
    headers: NO_STORE_HEADER,
  })
  make(@Req() request: AccountRequest, @Body() body: unknown): Promise<NewKeyAnswer> {
    return this.keys.make(request.accountId!, keyNameIn(body));
  }

  @Delete(':key_id')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'revokeKey',
    summary: 'Revoke a key',
    description:
      'This gateway refuses the key at once, other gateways within 5 seconds. A call cannot revoke the key that it is made with.',
  })
  @ApiParam({ name: 'key_id', schema: { type: 'string', pattern: ID_PATTERN } })
  @ApiResponse({ status: 204, description: 'The key is revoked' })
  revoke(@Req() request: AccountRequest, @Param('key_id') id: string): Promise<void> {
    return this.keys.revoke(request.accountId!, id, usedKeyHash(request));
  }
}

/** Throws the 422 problem with all faults. */
function keyNameIn(body: unknown = {}): string | null {
  const faults = keyNameFaults(body);
  if (faults.length > 0) throw validationFailed(faults, 'changed');
  return (body as KeyName).name ?? null;
}

/** The hash of the key that the call was made with. */
function usedKeyHash({ headers }: AccountRequest): string {
  return hashApiKey(bearerKey(headers.authorization)!).toString('hex');
}
