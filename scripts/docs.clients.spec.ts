import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** What generators of clients and types need of the documents to make types that compile, have names, and fit. */

type Schema = Record<string, unknown>;
interface Place {
  /** Such as `/components/schemas/Message/properties/state`. */
  at: string;
  schema: Schema;
}

const read = (name: string) => readFileSync(join(__dirname, '..', 'docs', name), 'utf8');

/** Every object of the document that can be a schema, with its place. Conditions and names of properties are for validators only. */
function placesIn(value: unknown, at = ''): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).filter(([key]) => !/^(?:examples?|if|propertyNames)$/.test(key));
  return [{ at, schema: value as Schema }, ...inner.flatMap(([key, one]) => placesIn(one, `${at}/${key}`))];
}

const schemas = placesIn(JSON.parse(read('openapi.json')));
/** Where in the document a schema has a name of its own. */
const isNamed = ({ at }: Place) => /^\/components\/schemas\/\w+$/.test(at);

it('no schema is or nests an anonymous object: client generators name types after schemas', () => {
  const objects = schemas.filter(({ schema }) => schema.type === 'object' && schema.properties);
  expect(objects.length).toBeGreaterThan(30);
  const nameless = objects.filter((place) => !isNamed(place));
  expect(nameless.map(({ at }) => at)).toEqual([]);
});

it('no schema with properties has `additionalProperties: true`, which client generators ignore', () => {
  const open = schemas.filter(({ schema }) => schema.properties && schema.additionalProperties === true);
  expect(open.map(({ at }) => at)).toEqual([]);
});

describe('a union', () => {
  const unions = schemas.filter(({ schema }) => schema.anyOf ?? schema.oneOf);
  const formsOf = ({ schema }: Place) =>
    [schema.anyOf, schema.oneOf].flat().filter((form) => (form as Schema | undefined)?.type !== 'null') as Schema[];

  it('has no anonymous form: what may be null is a list of types, or a reference and null', () => {
    expect(unions.length).toBeGreaterThan(10);
    const nameless = unions.filter((union) => formsOf(union).some((form) => form && !form.$ref));
    expect(nameless.map(({ at }) => at)).toEqual([]);
  });

  it('has a name, unless it is a reference or null', () => {
    const nameless = unions.filter((union) => !isNamed(union) && formsOf(union).filter(Boolean).length > 1);
    expect(nameless.map(({ at }) => at)).toEqual([]);
  });
});

it('a list of words has a name: clients call others Code1, and cannot assign the same words of two places to each other', () => {
  const lists = schemas.filter(({ schema }) => Array.isArray(schema.enum) && schema.enum.length > 1);
  expect(lists.length).toBeGreaterThan(10);
  expect(lists.filter((list) => !isNamed(list)).map(({ at }) => at)).toEqual([]);
});

it('an answer of bytes is `binary`: clients would decode what is text to them, and so damage it', () => {
  const bytes = schemas.filter(({ at }) => /\/responses\/.*\/(?:message\/rfc822|\*\/\*)\/schema$/.test(at));
  expect(bytes.length).toBe(2);
  expect(bytes.filter(({ schema }) => schema.format !== 'binary').map(({ at }) => at)).toEqual([]);
});

it('the data of each event has its name in the AsyncAPI document, and so in code that is generated from it', () => {
  const { components } = JSON.parse(read('asyncapi.json')) as {
    components: { messages: Record<string, { payload: Schema }>; schemas: Record<string, Schema> };
  };
  const names = Object.keys(components.messages);
  expect(names).toContain('MessageSent');
  const payloads = names.map((name) => components.messages[name]!.payload);
  expect(payloads).toEqual(names.map((name) => ({ $ref: `#/components/schemas/${name}` })));
  expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining(names));
});

describe('a server that is simulated from the examples', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ ...JSON.parse(read('openapi.json')), $id: 'openapi' } as object);
  const named = schemas.filter(isNamed);

  it('answers what the schemas allow', () => {
    const given = named.flatMap(({ at, schema }) => ((schema.examples ?? []) as unknown[]).map((one) => ({ at, one })));
    expect(given.length).toBeGreaterThan(15);
    expect(given.filter(({ at, one }) => !ajv.validate({ $ref: `openapi#${at}` }, one))).toEqual([]);
  });

  it('ends a list with its first page: a client that reads all pages would never come to an end', () => {
    const cursors = schemas.filter(({ at }) => at.endsWith('/properties/next_cursor'));
    expect(cursors.length).toBeGreaterThan(3);
    expect(cursors.map(({ schema }) => schema.examples)).toEqual(cursors.map(() => [null]));
  });
});
