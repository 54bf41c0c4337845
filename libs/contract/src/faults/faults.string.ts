import type { Report } from './report';
import { TEXT_RULES } from '../rules/rules';
import type { SchemaNode } from '../schema';
import { quoted } from '../fault.wording';
import { countCharacters } from '../unicode';

const compiled = new Map<string, RegExp>();

/** The pattern of a schema as ajv reads it. */
export function patternOf(source: string): RegExp {
  let pattern = compiled.get(source);
  if (!pattern) {
    pattern = new RegExp(source, 'u');
    compiled.set(source, pattern);
  }
  return pattern;
}

const characters = (count: number) => (count === 1 ? '1 character' : `${count} characters`);

function lengthFaults(schema: SchemaNode, text: string, pointer: string, report: Report): void {
  const { minLength = 0, maxLength = Infinity } = schema;
  // A text has at most as many characters as UTF-16 units, and at least half as many.
  if (text.length <= maxLength && text.length >= minLength * 2) return;
  const count = countCharacters(text);
  if (count < minLength) report.add(pointer, 'too_short', `found ${characters(count)}; at least ${minLength}`);
  if (count > maxLength) report.add(pointer, 'too_long', `found ${characters(count)}; at most ${maxLength}`);
}

/** If a rule finds something, the pattern is not reported as well: both look at the same characters. */
export function stringFaults(schema: SchemaNode, text: string, pointer: string, report: Report): void {
  let found = false;
  for (const name of schema['x-text'] ?? []) found = report.addAll(pointer, TEXT_RULES[name](text)) || found;
  lengthFaults(schema, text, pointer, report);
  if (found || schema.pattern === undefined || patternOf(schema.pattern).test(text)) return;
  const [example] = schema.examples ?? [];
  const as = typeof example === 'string' ? `, as in ${quoted(example)}` : '';
  report.add(pointer, 'bad_format', `${quoted(text)} must match ${schema.pattern}${as}`);
}
