import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { components } from '@lettermill/contract';
import { ANSWERS, PROBLEM_TYPE_BASE, type AnswerCode } from '@lettermill/problems';
import { VERSION } from '@lettermill/runtime';
import { ANSWER_SCHEMAS } from './answer.schemas';

type Responses = Record<string, object>;
type Operation = { responses: Responses; security?: object[] };

/** Which problems a call may answer; a path parameter can name what is not there. */
function codesFor(path: string, method: string): AnswerCode[] {
  const codes: AnswerCode[] = ['request_malformed', 'unauthorized', 'rate_limited', 'internal_error', 'unavailable'];
  if (path.includes('{') && method !== 'put') codes.push('not_found');
  if (['post', 'put'].includes(method)) codes.push('body_too_large', 'validation_failed');
  if (method === 'get' && !path.includes('{')) codes.push('validation_failed');
  if (method === 'post') codes.push('request_in_progress');
  return codes;
}

function problemResponse(code: AnswerCode): object {
  const { title, status, fix } = ANSWERS[code];
  const example = {
    ...{ type: PROBLEM_TYPE_BASE + code, title, status, detail: title, instance: '/v2/send/email' },
    ...{ request_id: '0199f0c2-7a31-7c54-9d3a-3f0f6c1c2a10', code, fix },
  };
  const headers = status === 429 ? RATE_HEADERS : undefined;
  return {
    description: title,
    ...(headers && { headers }),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' }, example } },
  };
}

const whole = (description: string) => ({ description, schema: { type: 'integer' } });
const RATE_HEADERS = {
  'X-RateLimit-Limit': whole('requests per window'),
  'X-RateLimit-Remaining': whole('requests left in this window'),
  'X-RateLimit-Reset': whole('when the window ends, Unix epoch seconds'),
  'Retry-After': whole('seconds to wait'),
};

/** The OpenAPI 3.1 document of the running version: routes by Nest, shapes by the contract, errors by their table. */
export function openApiDocument(app: NestFastifyApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Lettermill')
    .setDescription('Transactional messages: was it sent, once, to whom; if not, why.')
    .setVersion(VERSION)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'API key of an account' })
    .build();
  const document = SwaggerModule.createDocument(app, config);
  document.servers = [{ url: '/' }];
  const schemas = { ...ANSWER_SCHEMAS, ...components } as NonNullable<OpenAPIObject['components']>['schemas'];
  document.components = { ...document.components, schemas };
  for (const [path, item] of Object.entries(document.paths)) {
    if (!path.startsWith('/v2/')) continue;
    for (const [method, operation] of Object.entries(item as Record<string, Operation>)) {
      for (const code of codesFor(path, method)) {
        operation.responses[String(ANSWERS[code].status)] ??= problemResponse(code);
      }
    }
  }
  return document;
}

/** `/openapi.json` and a page at `/docs` that needs nothing from elsewhere. */
export function serveDocs(app: NestFastifyApplication): void {
  SwaggerModule.setup('docs', app, () => openApiDocument(app), {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    customSiteTitle: 'Lettermill API',
  });
}
