import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import document from '../../docs/openapi.json';
import type { Answer } from './lettermill';

interface Media {
  schema?: object;
  examples?: object;
}
interface Told {
  content?: Record<string, Media>;
  headers?: Record<string, { required?: boolean }>;
}
interface Operation {
  responses: Record<string, Told>;
}

const PROBLEM = 'application/problem+json';
/** Headers that any answer may have, by HTTP itself or for browsers. */
const ANYWHERE =
  /^(?:connection|content-length|content-type|date|keep-alive|transfer-encoding|x-content-type-options)$/;
/** What refusals of calls that are no operation may have. */
const BESIDE: Told = {
  headers: {
    ...{ Allow: {}, 'Retry-After': {}, 'WWW-Authenticate': {} },
    ...{ 'X-RateLimit-Limit': {}, 'X-RateLimit-Remaining': {}, 'X-RateLimit-Reset': {} },
  },
  content: { [PROBLEM]: { schema: { $ref: '#/components/schemas/Problem' } } },
};
const PATHS = Object.entries(document.paths as unknown as Record<string, Record<string, Operation>>).map(
  ([path, operations]) => ({ pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`), path, operations }),
);
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(closed({ $id: 'openapi', components: document.components }) as object);
const validators = new Map<object, ValidateFunction>();

/** A copy of a schema that allows only the properties that it names, unless it explicitly allows others. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.entries(schema).map(([name, part]) => [
    name,
    name === '$ref' ? `openapi${part as string}` : closed(part),
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
  const found = PATHS.find(({ pattern }) => pattern.test(address));
  const operation = found?.operations[method === 'HEAD' ? 'get' : method.toLowerCase()];
  const isApi = address.startsWith('/v2/');
  if (!operation && !isApi) return [];
  const where = `${method} ${found?.path ?? address} ${status}`;
  const told = operation ? operation.responses[status] : status < 400 ? undefined : BESIDE;
  if (!told) return [`${where} is not in the document`];
  const type = headers.get('content-type')?.replace(/;.*$/, '') ?? '';
  const media = told.content?.[type] ?? told.content?.['*/*'];
  const untold = type !== '' && media === undefined ? [`${where} is ${type}, which is not in the document`] : [];
  const names = [...lacks(told, headers, where), ...(isApi ? untoldNames(told, headers, where) : [])];
  return [...names, ...untold, ...untoldCode(media, body, where), ...faults(media?.schema, body, where)];
}

function lacks({ headers: told = {} }: Told, headers: Headers, where: string): string[] {
  const names = Object.keys(told).filter((name) => told[name]!.required && !headers.has(name));
  return names.map((name) => `${where} lacks ${name}`);
}

function untoldNames({ headers: told = {} }: Told, headers: Headers, where: string): string[] {
  const known = new Set(Object.keys(told).map((name) => name.toLowerCase()));
  const names = [...headers.keys()].filter((name) => !known.has(name) && !ANYWHERE.test(name));
  return names.map((name) => `${where} has the header ${name}, which is not in the document`);
}

/** The document has an example of each code that a refusal may have. */
function untoldCode(media: Media | undefined, body: unknown, where: string): string[] {
  const { code } = (typeof body === 'object' ? (body ?? {}) : {}) as { code?: string };
  if (code === undefined || !media?.examples || code in media.examples) return [];
  return [`${where} has the code ${code}, which is not in the document`];
}

function faults(schema: object | undefined, body: unknown, where: string): string[] {
  if (!schema || typeof body !== 'object') return [];
  const validate = validators.get(schema) ?? ajv.compile(closed(schema) as object);
  validators.set(schema, validate);
  if (validate(body)) return [];
  return validate.errors!.map(
    ({ instancePath, message, params }) => `${where} at ${instancePath || '/'}: ${message} ${JSON.stringify(params)}`,
  );
}
