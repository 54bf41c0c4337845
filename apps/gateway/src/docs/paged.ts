import { applyDecorators } from '@nestjs/common';
import { ApiQuery, type ApiQueryOptions } from '@nestjs/swagger';
import { PAGE_LIMIT } from '@lettermill/runtime';
import { ChecksParameters } from '../parameters/parameters.guard';

type Schema = Extract<ApiQueryOptions, { schema?: unknown }>['schema'];

const LIMIT = { type: 'integer', minimum: 1, maximum: PAGE_LIMIT.max, default: PAGE_LIMIT.default } as const;

/** Documents a list that is answered in pages, whose owner checks the query (`readPageQuery`). `cursor` is the schema of its `next_cursor`. */
export function Paged(cursor: Schema): MethodDecorator {
  return applyDecorators(
    ChecksParameters(true),
    ApiQuery({ name: 'cursor', required: false, description: '`next_cursor` of the previous page', schema: cursor }),
    ApiQuery({ name: 'limit', required: false, schema: LIMIT }),
  );
}
