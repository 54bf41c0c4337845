import Ajv, { type AnySchemaObject, type ValidateFunction } from 'ajv';
import { FORMS } from '../rules/forms';
import { TEXT_RULES, type Rule } from '../rules/rules';
import { LIST_RULES } from '../rules/rules.list';
import { OBJECT_RULES } from '../rules/rules.object';
import { SendEmailRequest } from '../send.schema';

/** Keywords that are only for readers of the OpenAPI document: `x-form` stands in for `anyOf`, a faster rule for `uniqueItems`. */
const DOCUMENTATION_KEYWORDS = ['anyOf', 'uniqueItems'];

/** Adds a keyword that names rules. A value is valid if none of them finds anything. */
function addRules<T>(ajv: Ajv, keyword: string, type: 'string' | 'array' | 'object', rules: Record<string, Rule<T>>) {
  ajv.addKeyword({
    keyword,
    type,
    schemaType: 'array',
    errors: false,
    // What is too large is not examined property by property.
    ...(type === 'object' && { before: 'patternProperties' }),
    compile: (names: string[]) => {
      const named = names.map((name) => rules[name]!);
      const [first] = named;
      if (first && named.length === 1) return (value: T) => first(value) === undefined;
      return (value: T) => named.every((rule) => rule(value) === undefined);
    },
  });
}

/**
 * `anyOf` as forms.ts defines it: the value is checked against the form that its shape selects. Each form is a function of
 * its own, compiled once, so that the engine optimises it.
 */
function addForms(ajv: Ajv): void {
  ajv.addKeyword({
    keyword: 'x-form',
    schemaType: 'string',
    errors: false,
    compile: (name: keyof typeof FORMS, parent: AnySchemaObject) => {
      const forms = (parent.anyOf as AnySchemaObject[]).map((form) => ajv.compile(form));
      const { choose } = FORMS[name];
      return (value: unknown) => {
        const index = choose(value);
        return index >= 0 && forms[index]!(value) === true;
      };
    },
  });
}

function contractAjv(): Ajv {
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, messages: false, validateFormats: false });
  for (const keyword of DOCUMENTATION_KEYWORDS) {
    ajv.removeKeyword(keyword);
    ajv.addKeyword(keyword);
  }
  addRules(ajv, 'x-text', 'string', TEXT_RULES);
  addRules(ajv, 'x-list', 'array', LIST_RULES);
  addRules(ajv, 'x-object', 'object', OBJECT_RULES);
  addForms(ajv);
  return ajv;
}

let validateSend: ValidateFunction<SendEmailRequest> | undefined;

/** Compiles the rules, which takes a tenth of a second: whoever receives requests does so before the first one. */
export function compileVerdict(): ValidateFunction<SendEmailRequest> {
  return (validateSend ??= contractAjv().compile<SendEmailRequest>(SendEmailRequest));
}

/**
 * Whether a value read by `readJson` keeps every rule that can be checked on the request alone. `sendFaults` says which
 * rules are broken; the two always agree.
 */
export function isSendRequest(value: unknown): value is SendEmailRequest {
  return (validateSend ?? compileVerdict())(value);
}
