import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { contractSchemas } from '@lettermill/contract';
import { VERSION } from '@lettermill/version';
import type { FastifyInstance } from 'fastify';
import { ANSWER_SCHEMAS } from './answer.schemas';
import { withNamesOfTitles } from './named.schemas';
import { describeOperators } from './operators.document';
import { withExamples, type Parameter } from './parameter.examples';
import {
  HEADERS,
  PROBLEM_EXAMPLES,
  ProblemResponses,
  rateHeaders,
  type Response,
  type Responses,
} from './problem.responses';
import { SEND_BODY } from './send.document';

type Components = NonNullable<OpenAPIObject['components']>;

interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: object;
  responses: Responses;
  security?: object[];
}

const KEY_SECURITY = { bearer: [] };

/** In the order in which a new user needs them; the page shows them in this order. */
const TAGS: [name: string, description: string][] = [
  ['send', 'Send messages'],
  ['messages', 'What became of each message; cancel or retry it'],
  ['campaigns', 'The templates of messages'],
  ['contacts', 'The people you write to, and addresses that get no mail'],
  ['inbound', 'Report bounces and complaints that arrived elsewhere'],
  ['domains', 'Domains whose mails are signed (DKIM)'],
  ['keys', 'The API keys of the account'],
  ['mailbox', 'The built-in mailbox, if it is in use'],
  ['health', 'For operators'],
];

/** Who may call a path: health, metrics and documents need no key, nor does the mailbox from loopback. */
function securityOf(path: string): object[] {
  if (path.startsWith('/v2/')) return [KEY_SECURITY];
  return path.startsWith('/mailbox') ? [{}, KEY_SECURITY] : [];
}

function complete(operation: Operation, path: string, refusals: Responses): void {
  if (operation.operationId === 'sendEmail') operation.requestBody = SEND_BODY;
  operation.parameters = withExamples(operation.parameters ?? []);
  operation.security = securityOf(path);
  // Those that the controllers describe, which are no references.
  const described = operation.responses as Record<string, Response>;
  if (path.startsWith('/v2/')) {
    for (const response of Object.values(described)) response.headers = { ...rateHeaders, ...response.headers };
  }
  operation.responses = { ...refusals, ...described };
}

/** The OpenAPI 3.1 document of the running version: routes from Nest, schemas from the contract, errors from their table. */
function openApiDocument(app: NestFastifyApplication): OpenAPIObject {
  const described = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Lettermill')
    .setDescription('Transactional messages: was it sent, once, to whom; if not, why.')
    .setVersion(VERSION)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'API key of an account' })
    .addServer('/');
  const config = TAGS.reduce((all, [name, description]) => all.addTag(name, description), described).build();
  describeOperators();
  const document = SwaggerModule.createDocument(app, config);
  const schemas: Record<string, object> = { ...ANSWER_SCHEMAS, ...contractSchemas };
  document.paths = withNamesOfTitles(document.paths, schemas);
  const [headers, examples] = [HEADERS as Components['headers'], PROBLEM_EXAMPLES as Components['examples']];
  const problems = new ProblemResponses();
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item as Record<string, Operation>)) {
      complete(operation, path, problems.ofCall(path, method));
    }
  }
  const responses = problems.components as Components['responses'];
  document.components = {
    ...document.components,
    schemas: schemas as Components['schemas'],
    responses,
    headers,
    examples,
  };
  return document;
}

/** Serves `/openapi.json`, and a page at `/docs` that loads nothing from elsewhere; `/` redirects to it. */
export function serveDocs(app: NestFastifyApplication): void {
  let document: OpenAPIObject | undefined;
  const made = () => (document ??= openApiDocument(app));
  SwaggerModule.setup('docs', app, made, { raw: false, customSiteTitle: 'Lettermill API' });
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  // The document has some hundred kilobytes and anybody may request it, so it is serialised only once.
  let written: Buffer | undefined;
  fastify.get('/openapi.json', (_request, reply) => {
    written ??= Buffer.from(JSON.stringify(made()));
    void reply.type('application/json').send(written);
  });
  fastify.get('/', (_request, reply) => reply.redirect('/docs'));
}
