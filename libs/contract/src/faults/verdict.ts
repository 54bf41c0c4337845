import Ajv, { type AnySchemaObject } from 'ajv';
import { FORMS } from '../rules/forms';
import { TEXT_RULES, type Rule } from '../rules/rules';
import { LIST_RULES } from '../rules/rules.list';
import { OBJECT_RULES } from '../rules/rules.object';
import { SendEmailRequest } from '../send.schema';

/** Keywords that are there for readers of the OpenAPI document. `uniqueItems` is done by a faster rule. */
const ONLY_TOLD = ['anyOf', 'uniqueItems'];

/** A keyword that names rules: all of them must find nothing. */
function addRules<T>(ajv: Ajv, keyword: string, type: 'string' | 'array' | 'object', rules: Record<string, Rule<T>>) {
  ajv.addKeyword({
    keyword,
    type,
    schemaType: 'array',
    errors: false,
    compile: (names: string[]) => {
      const named = names.map((name) => rules[name]!);
      const [first] = named;
      if (first && named.length === 1) return (value: T) => first(value) === undefined;
      return (value: T) => named.every((rule) => rule(value) === undefined);
    },
  });
}

/**
 * `anyOf` the way of forms.ts: the value is held against the form that its shape chooses. Each form is a function of
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
  for (const keyword of ONLY_TOLD) {
    ajv.removeKeyword(keyword);
    ajv.addKeyword(keyword);
  }
  addRules(ajv, 'x-text', 'string', TEXT_RULES);
  addRules(ajv, 'x-list', 'array', LIST_RULES);
  addRules(ajv, 'x-object', 'object', OBJECT_RULES);
  addForms(ajv);
  return ajv;
}

const ajv = contractAjv();
const send = ajv.compile<SendEmailRequest>(SendEmailRequest);

/**
 * Whether a value read by `readJson` keeps every rule that can be seen in the request alone. Says nothing of why:
 * `sendFaults` does, and agrees.
 */
export function isSendRequest(value: unknown): value is SendEmailRequest {
  return send(value);
}
