import { ANSWERS, FAULTS, validationFailed } from '@lettermill/problems';
import Ajv from 'ajv/dist/2020';
import { contractSchemas } from './components';
import { sendFaults } from './faults/faults';

/** Validates by a schema as it is in an OpenAPI document. */
function validator(name: string) {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  return ajv.compile({ components: { schemas: contractSchemas }, $ref: `#/components/schemas/${name}` });
}

type Schema = Record<string, unknown>;

/** A schema and all schemas within it. */
function within(value: unknown): Schema[] {
  if (typeof value !== 'object' || value === null) return [];
  const { examples: _, ...schema } = value as Schema;
  return [schema, ...Object.values(schema).flatMap(within)];
}

/** The patterns that client generators copy: those of values. Only validators read conditions and names of properties. */
function patternsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { pattern, if: _condition, propertyNames: _names, examples: _examples, ...rest } = value as Schema;
  return [...(typeof pattern === 'string' ? [pattern] : []), ...Object.values(rest).flatMap(patternsIn)];
}

describe('the documented schemas', () => {
  it('include all that the document needs, without our own keywords', () => {
    expect(Object.keys(contractSchemas)).toEqual(
      expect.arrayContaining([
        'SendEmailRequest',
        'SendEmailAck',
        'EmailMessageResult',
        'Attachment',
        'CampaignLaunch',
      ]),
    );
    expect(JSON.stringify(contractSchemas)).not.toContain('"x-text"');
    expect(JSON.stringify(contractSchemas)).not.toContain('"x-form"');
  });

  it.each(Object.keys(contractSchemas))(
    '%s compiles, refers only to existing schemas and validates its own examples',
    (name) => {
      const validate = validator(name);
      for (const example of (contractSchemas[name]!.examples as unknown[]) ?? []) {
        expect({ example, valid: validate(example) }).toEqual({ example, valid: true });
      }
      const text = JSON.stringify(contractSchemas[name]);
      for (const [, referred] of text.matchAll(/#\/components\/schemas\/(\w+)/g))
        expect(contractSchemas).toHaveProperty(referred!);
    },
  );

  it.each(Object.keys(contractSchemas))('%s is understood by client generators', (name) => {
    const objects = within(contractSchemas[name]).filter(({ type }) => type === 'object');
    // Most generators ignore patternProperties: to them, an object with nothing else would have no properties at all.
    for (const { properties, patternProperties, additionalProperties = false } of objects) {
      if (!properties || patternProperties) expect(additionalProperties).not.toBe(false);
    }
    // For `anyOf` beside properties, generators make types that have the properties of only one of the two.
    expect(objects.filter(({ anyOf }) => anyOf)).toEqual([]);
    // Files are not typed as text: `json` is a part beside them, and no type would fit both.
    expect(within(contractSchemas[name]).filter((one) => 'contentMediaType' in one && 'type' in one)).toEqual([]);
    // In TypeScript, a type of such a name would hide the global one.
    expect(globalThis).not.toHaveProperty(name);
  });

  it.each(Object.keys(contractSchemas))('%s has patterns that clients in all languages can compile', (name) => {
    // PCRE and RE2 do not know \u, and RE2 no look-around. PCRE runs out of stack in a group that repeats without end.
    const unportable = /\\u|\\p|\(\?[=!<]|\)[*+]/;
    expect(patternsIn(contractSchemas[name]).filter((pattern) => unportable.test(pattern))).toEqual([]);
  });

  it('accept a file of 10 MiB', () => {
    // The regular expressions of V8 keep a state for each repetition of a group, unless it is a plain sequence of characters.
    const data = Buffer.alloc(10 * 1024 * 1024).toString('base64');
    const attachments = [{ attachment_type: 'file', file_name: 'large.bin', data }];
    expect(validator('SendEmailRequest')({ campaign: 'welcome', to: 'ada@example.com', attachments })).toBe(true);
  });

  it('accept the responses of this service', () => {
    const problem = validationFailed(sendFaults({ campaign: '', to: 'x' })).body('/v2/send/email', 'r');
    expect(validator('Problem')(problem)).toBe(true);
    expect(validator('SendEmailAck')({ request_id: 'r', messages: [] })).toBe(true);
    expect(contractSchemas.FaultCode).toMatchObject({ enum: Object.keys(FAULTS) });
    expect(Object.keys(ANSWERS)).toContain(problem.code);
  });
});
