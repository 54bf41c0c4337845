import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import document from '../../docs/openapi.json';
import type { Answer } from './lettermill';

interface Media {
  schema?: object;
  examples?: object;
}
interface Header {
  description?: string;
  required?: boolean;
  $ref?: string;
}
interface DocumentedResponse {
  content?: Record<string, Media>;
  headers?: Record<string, Header>;
}
interface Operation {
  /** A response of its own, or a reference to a component. */
  responses: Record<string, DocumentedResponse & { $ref?: string }>;
}

const PROBLEM = 'application/problem+json';
/** Headers that any answer may have, by HTTP itself or for browsers and caches. */
const HEADERS_OF_ANY_ANSWER =
  /^(?:cache-control|connection|content-length|content-type|date|keep-alive|transfer-encoding|x-content-type-options)$/;
/** What refusals of calls that are no operation may have. */
const RESPONSE_OF_NO_OPERATION: DocumentedResponse = {
  headers: {
    Allow: {},
    'Retry-After': {},
    'WWW-Authenticate': {},
    'X-RateLimit-Limit': {},
    'X-RateLimit-Remaining': {},
    'X-RateLimit-Reset': {},
  },
  content: { [PROBLEM]: { schema: { $ref: '#/components/schemas/Problem' } } },
};
const DOCUMENTED_PATHS = Object.entries(document.paths as unknown as Record<string, Record<string, Operation>>).map(
  ([path, operations]) => ({ pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`), path, operations }),
);
/** A response has a header of its own, or refers to the component of the same name. */
const HEADERS: Record<string, Header | undefined> = document.components.headers;
const RESPONSES: Record<string, DocumentedResponse> = document.components.responses;
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(closeSchema({ $id: 'openapi', components: document.components }) as object);
const validators = new Map<object, ValidateFunction>();

/** A copy of a schema that allows only the properties that it names, unless it explicitly allows others. */
function closeSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.entries(schema).map(([name, part]) => [
    name,
    name === '$ref' ? `openapi${part as string}` : closeSchema(part),
  ]);
  const { properties, additionalProperties } = schema as Record<string, unknown>;
  const open = typeof properties !== 'object' || additionalProperties !== undefined;
  return { ...Object.fromEntries(parts), ...(!open && { additionalProperties: false }) };
}

/**
 * What an answer has but the OpenAPI document does not describe, or the reverse: status, headers, media type, code, body. Empty if all
 * is described, and for calls outside the API. Calls of the API that are no operation must be refused in the form of all refusals.
 */
export function undocumented(method: string, target: string, { status, headers, body }: Answer<unknown>): string[] {
  const address = target.replace(/\?.*$/, '');
  const found = DOCUMENTED_PATHS.find(({ pattern }) => pattern.test(address));
  const operation = found?.operations[method === 'HEAD' ? 'get' : method.toLowerCase()];
  const isApi = address.startsWith('/v2/');
  if (!operation && !isApi) return [];
  const where = `${method} ${found?.path ?? address} ${status}`;
  const response = operation ? responseOf(operation, status) : status < 400 ? undefined : RESPONSE_OF_NO_OPERATION;
  if (!response) return [`${where} is not in the document`];
  const type = headers.get('content-type')?.replace(/;.*$/, '') ?? '';
  const media = response.content?.[type] ?? response.content?.['*/*'];
  const undocumentedType =
    type !== '' && media === undefined ? [`${where} is ${type}, which is not in the document`] : [];
  const names = [
    ...missingHeaders(response, headers, where),
    ...(isApi ? undocumentedHeaders(response, headers, where) : []),
  ];
  return [
    ...names,
    ...undocumentedType,
    ...undocumentedCode(media, body, where),
    ...schemaFaults(media?.schema, body, where),
  ];
}

function responseOf({ responses }: Operation, status: number): DocumentedResponse | undefined {
  const response = responses[status];
  return response?.$ref ? RESPONSES[response.$ref.replace(/^.*\//, '')] : response;
}

function missingHeaders({ headers: documented = {} }: DocumentedResponse, headers: Headers, where: string): string[] {
  const isRequired = (name: string) => (documented[name]!.$ref ? HEADERS[name] : documented[name])?.required;
  const names = Object.keys(documented).filter((name) => isRequired(name) && !headers.has(name));
  return names.map((name) => `${where} lacks ${name}`);
}

function undocumentedHeaders(
  { headers: documented = {} }: DocumentedResponse,
  headers: Headers,
  where: string,
): string[] {
  const known = new Set(Object.keys(documented).map((name) => name.toLowerCase()));
  const names = [...headers.keys()].filter((name) => !known.has(name) && !HEADERS_OF_ANY_ANSWER.test(name));
  return names.map((name) => `${where} has the header ${name}, which is not in the document`);
}

/** The document has an example of each code that a refusal may have. */
function undocumentedCode(media: Media | undefined, body: unknown, where: string): string[] {
  const { code } = (typeof body === 'object' ? (body ?? {}) : {}) as { code?: string };
  if (code === undefined || !media?.examples || code in media.examples) return [];
  return [`${where} has the code ${code}, which is not in the document`];
}

function schemaFaults(schema: object | undefined, body: unknown, where: string): string[] {
  if (!schema || typeof body !== 'object') return [];
  const validate = validators.get(schema) ?? ajv.compile(closeSchema(schema) as object);
  validators.set(schema, validate);
  if (validate(body)) return [];
  return validate.errors!.map(
    ({ instancePath, message, params }) => `${where} at ${instancePath || '/'}: ${message} ${JSON.stringify(params)}`,
  );
}
