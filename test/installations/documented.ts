import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import document from '../../docs/openapi.json';
import type { Answer } from './lettermill';

type Media = Record<string, { schema?: object }>;
interface Told {
  content?: Media;
  headers?: Record<string, unknown>;
}
interface Operation {
  responses: Record<string, Told>;
}

/** Headers that each answer has for which the document names them; the others depend on more than the status, or on a variable. */
const ALWAYS = /^WWW-Authenticate$/;
const PATHS = Object.entries(document.paths as unknown as Record<string, Record<string, Operation>>).map(
  ([path, operations]) => ({ pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`), path, operations }),
);
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(closed({ $id: 'openapi', components: document.components }) as object);
const validators = new Map<object, ValidateFunction>();

/** A copy that takes no property which it does not name, but where it says that any may be there. */
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
 * What an answer has that the OpenAPI document does not tell of, or lacks of what it tells: status, headers, media type, body. Empty where all
 * is told, and for calls that are none of the API.
 */
export function undocumented(method: string, target: string, { status, headers, body }: Answer<unknown>): string[] {
  const address = target.replace(/\?.*$/, '');
  const found = PATHS.find(({ pattern }) => pattern.test(address));
  const operation = found?.operations[method.toLowerCase()];
  if (!found || !operation) return [];
  const told = operation.responses[status];
  const where = `${method} ${found.path} ${status}`;
  if (!told) return [`${where} is not in the document`];
  const lacks = Object.keys(told.headers ?? {}).filter((name) => ALWAYS.test(name) && !headers.has(name));
  const type = headers.get('content-type')?.replace(/;.*$/, '') ?? '';
  const media = told.content?.[type] ?? told.content?.['*/*'];
  const untold = type !== '' && media === undefined ? [`${where} is ${type}, which is not in the document`] : [];
  return [...lacks.map((name) => `${where} lacks ${name}`), ...untold, ...faults(media?.schema, body, where)];
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
