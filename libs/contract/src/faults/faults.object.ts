import { patternOf } from './faults.string';
import { nearestName } from './nearest';
import type { Report } from './report';
import { OBJECT_RULES } from '../rules/rules.object';
import type { SchemaNode } from '../schema';
import { childPointer, quoted } from '../fault.wording';

type Members = Record<string, unknown>;
type Walk = (schema: SchemaNode, value: unknown, pointer: string, report: Report) => void;

/** The schema of a property; undefined if the object does not allow the property. */
function schemaOf(schema: SchemaNode, key: string): SchemaNode | undefined {
  const { properties, patternProperties } = schema;
  if (properties && Object.hasOwn(properties, key)) return properties[key];
  for (const pattern in patternProperties) {
    if (patternOf(pattern).test(key)) return patternProperties[pattern];
  }
  return undefined;
}

function reportUnknown(schema: SchemaNode, key: string, pointer: string, report: Report): void {
  const at = childPointer(pointer, key);
  const [pattern] = Object.keys(schema.patternProperties ?? {});
  const known = Object.keys(schema.properties ?? {});
  if (pattern !== undefined && known.length === 0) {
    report.add(at, 'bad_format', `the name ${quoted(key)} must match ${pattern}`);
    return;
  }
  const suggestion = nearestName(key, known);
  const hint = suggestion === undefined ? `known are ${known.join(', ')}` : `did you mean ${suggestion}?`;
  const custom = pattern === undefined ? '' : ' and custom keys: a letter, then 1 to 44 letters, digits, - or _';
  report.add(
    at,
    'unknown_property',
    `${quoted(key)} is not known here; ${hint}${suggestion === undefined ? custom : ''}`,
  );
}

function reportMissing(schema: SchemaNode, value: Members, pointer: string, report: Report): void {
  for (const key of schema.required ?? []) {
    if (Object.hasOwn(value, key)) continue;
    const description = schema.properties?.[key]?.description;
    report.add(
      childPointer(pointer, key),
      'missing_property',
      `${key} is required${description ? `: ${description}` : ''}`,
    );
  }
}

function reportCount(schema: SchemaNode, keys: string[], pointer: string, report: Report): void {
  const { minProperties: min = 0, maxProperties: max = Infinity } = schema;
  const exactly = min === max ? `exactly ${max}` : undefined;
  if (keys.length < min) {
    report.add(pointer, 'too_few', `found ${keys.length} properties; ${exactly ?? `at least ${min}`}`);
  }
  if (keys.length > max) {
    const names = quoted(keys.slice(0, 10).join(', '));
    report.add(pointer, 'too_many', `found ${keys.length} properties (${names}); ${exactly ?? `at most ${max}`}`);
  }
}

/** An object with more properties breaks another rule, too; those beyond are not examined. */
const MAX_EXAMINED = 32 * 1024;

/** Everything that is wrong with an object: its properties in the order they were sent, then what is missing. */
export function objectFaults(schema: SchemaNode, value: Members, pointer: string, report: Report, walk: Walk): void {
  const keys = Object.keys(value);
  reportCount(schema, keys, pointer, report);
  const closed = schema.properties !== undefined || schema.patternProperties !== undefined;
  for (const key of closed ? keys.slice(0, MAX_EXAMINED) : []) {
    if (report.isFull) return;
    const inner = schemaOf(schema, key);
    if (inner) walk(inner, value[key], childPointer(pointer, key), report);
    else reportUnknown(schema, key, pointer, report);
  }
  reportMissing(schema, value, pointer, report);
  for (const name of schema['x-object'] ?? []) report.addAll(pointer, OBJECT_RULES[name](value));
}
