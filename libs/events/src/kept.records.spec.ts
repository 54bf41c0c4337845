import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { CATALOG, type EventType } from './catalog';
import { decodeEvent } from './codec';

/** Records that may be on a log, however old it is, one a line: lines are added, and never changed. */
const RECORDS = readFileSync(join(__dirname, 'kept.records.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { type: EventType; data: unknown });

const has = (value: unknown, name: string) => Object.hasOwn(value as object, name);

/** The parts of a schema that the values do not show: a field, a record without an optional field, one of several forms. */
function missingFields(schema: TSchema, values: unknown[], at: string): string[] {
  if (values.length === 0) return [`${at} is in no record`];
  if (schema.anyOf) {
    const forms = (schema.anyOf as TSchema[]).map(
      (form) => [form, values.filter((v) => Value.Check(form, v))] as const,
    );
    return forms.flatMap(([form, found], index) => missingFields(form, found, `${at} (form ${index + 1})`));
  }
  if (schema.type === 'array' && !Array.isArray(schema.items)) {
    return missingFields(schema.items as TSchema, values.flat(), `${at}[]`);
  }
  return Object.entries((schema.properties ?? {}) as Record<string, TSchema>).flatMap(([name, inner]) => {
    const having = values.filter((value) => has(value, name));
    const told = missingFields(
      inner,
      having.map((value) => (value as Record<string, unknown>)[name]),
      `${at}.${name}`,
    );
    const optional = !(schema.required as string[] | undefined)?.includes(name);
    return optional && having.length === values.length ? [...told, `${at}.${name} is in every record`] : told;
  });
}

describe('records of earlier versions', () => {
  it.each(RECORDS.map(({ type, data }, index) => [index + 1, type, data] as const))(
    'line %i, %s: decodes to what was written',
    (_, type, data) => {
      const headers = { ce_type: type, ce_id: 'e', ce_source: '/lettermill/test', ce_time: '2026-01-02T03:04:05.678Z' };
      const record = { topic: CATALOG[type].topic, key: 'k', headers, value: JSON.stringify(data) };
      expect(decodeEvent({ ...record, partition: 0, position: 0 })).toMatchObject({ type, data });
    },
  );

  it.each(Object.keys(CATALOG) as EventType[])(
    'show every field of %s, and each optional field both present and missing',
    (type) => {
      const values = RECORDS.filter((record) => record.type === type).map(({ data }) => data);
      expect(missingFields(CATALOG[type].schema, values, type)).toEqual([]);
    },
  );
});
