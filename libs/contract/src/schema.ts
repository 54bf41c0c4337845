import { Type, type Static, type TProperties, type TSchema } from '@sinclair/typebox';
import type { FORMS } from './rules/forms';
import type { TEXT_RULES } from './rules/rules';
import type { LIST_RULES } from './rules/rules.list';
import type { OBJECT_RULES } from './rules/rules.object';

/**
 * The keywords of this contract in addition to those of JSON Schema:
 * `x-form` names the chooser of an `anyOf` (forms.ts); `x-text`, `x-list` and `x-object` name rules.
 */
export interface ContractKeywords {
  'x-form'?: keyof typeof FORMS;
  'x-text'?: (keyof typeof TEXT_RULES)[];
  'x-list'?: (keyof typeof LIST_RULES)[];
  'x-object'?: (keyof typeof OBJECT_RULES)[];
}

/** What the walk reads of a schema. Every schema of the contract is of this type. */
export interface SchemaNode extends ContractKeywords {
  title?: string;
  description?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: SchemaNode[];
  properties?: Record<string, SchemaNode>;
  patternProperties?: Record<string, SchemaNode>;
  required?: string[];
  minProperties?: number;
  maxProperties?: number;
  items?: SchemaNode;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  examples?: unknown[];
}

interface Annotations extends ContractKeywords {
  title?: string;
  description?: string;
  examples?: unknown[];
}

/** An object without other properties. */
export const ClosedObject = <T extends TProperties>(properties: T, annotations: Annotations) =>
  Type.Object(properties, { ...annotations, additionalProperties: false });

/** One of several forms, told apart by `form`. */
export const OneOf = <T extends TSchema[]>(form: keyof typeof FORMS, forms: [...T], annotations: Annotations) =>
  Type.Unsafe<Static<T[number]>>({ ...annotations, anyOf: forms, 'x-form': form });

/** One of several words. */
export const StringEnum = <T extends string>(words: T[], annotations: Annotations) =>
  Type.Unsafe<T>({ ...annotations, type: 'string', enum: words });

/** An object whose property names all match a pattern. */
export const PatternRecord = <T extends TSchema>(
  pattern: string,
  value: T,
  annotations: Annotations & { minProperties?: number; maxProperties?: number },
) =>
  Type.Unsafe<Record<string, Static<T>>>({
    ...annotations,
    type: 'object',
    patternProperties: { [pattern]: value },
    additionalProperties: false,
  });
