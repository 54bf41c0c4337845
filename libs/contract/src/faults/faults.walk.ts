import { objectFaults } from './faults.object';
import { stringFaults } from './faults.string';
import { FORMS } from '../rules/forms';
import type { Report } from './report';
import { LIST_RULES } from '../rules/rules.list';
import type { SchemaNode } from '../schema';
import { joinWithOr, childPointer, describeValue } from '../fault.wording';

const TYPE_NAMES: Record<string, string> = {
  string: 'a string',
  object: 'an object',
  array: 'an array',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
};

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (Number.isInteger(value)) return 'integer';
  return typeof value;
}

function arrayFaults(schema: SchemaNode, value: unknown[], pointer: string, report: Report): void {
  const { minItems = 0, maxItems = Infinity } = schema;
  if (value.length < minItems) report.add(pointer, 'too_few', `found ${value.length} items; at least ${minItems}`);
  const tooMany = value.length > maxItems;
  if (tooMany) {
    report.add(
      pointer,
      'too_many',
      `found ${value.length} items; at most ${maxItems}. The first ${maxItems} were checked`,
    );
  }
  const checked = tooMany ? value.slice(0, maxItems) : value;
  for (let i = 0; i < checked.length && !report.isFull; i += 1) {
    walk(schema.items!, checked[i], childPointer(pointer, i), report);
  }
  for (const name of schema['x-list'] ?? []) report.addAll(pointer, LIST_RULES[name](checked));
}

function integerFaults(schema: SchemaNode, value: number, pointer: string, report: Report): void {
  const { minimum = -Infinity, maximum = Infinity } = schema;
  if (value >= minimum && value <= maximum) return;
  report.add(pointer, 'not_allowed_value', `found ${value}; allowed: ${minimum} to ${maximum}`);
}

/** Returns true if the schema lists the value, or lists none; reports the value otherwise. */
function checkListed(schema: SchemaNode, value: unknown, pointer: string, report: Report): boolean {
  const listed = schema.enum ?? ('const' in schema ? [schema.const] : undefined);
  if (!listed || listed.includes(value)) return true;
  const allowed = joinWithOr(listed.map((word) => describeValue(word)));
  const more = schema.description && 'const' in schema ? ` (${schema.description})` : '';
  report.add(pointer, 'not_allowed_value', `found ${describeValue(value)}; expected ${allowed}${more}`);
  return false;
}

/**
 * Checks a value against a schema of the contract and reports everything that is wrong with it. It knows the keywords that
 * the contract uses (schema.ts), and gives each the same meaning as the compiled verdict.
 */
export function walk(schema: SchemaNode, value: unknown, pointer: string, report: Report): void {
  if (schema.anyOf) {
    const form = FORMS[schema['x-form']!];
    const index = form.choose(value);
    if (index >= 0) walk(schema.anyOf[index]!, value, pointer, report);
    else report.addAll(pointer, form.miss(value));
    return;
  }
  const type = typeOf(value);
  const allowed = schema.type === undefined || Array.isArray(schema.type) ? schema.type : [schema.type];
  if (allowed && !allowed.includes(type)) {
    const names = allowed.map((name) => TYPE_NAMES[name] ?? name);
    report.add(pointer, 'wrong_type', `expected ${joinWithOr(names)}; found ${describeValue(value)}`);
    return;
  }
  if (!checkListed(schema, value, pointer, report)) return;
  if (!allowed) return;
  if (type === 'string') stringFaults(schema, value as string, pointer, report);
  else if (type === 'integer') integerFaults(schema, value as number, pointer, report);
  else if (type === 'array') arrayFaults(schema, value as unknown[], pointer, report);
  else if (type === 'object') objectFaults(schema, value as Record<string, unknown>, pointer, report, walk);
}
