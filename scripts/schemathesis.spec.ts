import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAULTS } from '@lettermill/problems';

const hooks = readFileSync(join(__dirname, 'schemathesis_hooks.py'), 'utf8');
const beyondSchema = [...hooks.match(/^BEYOND_SCHEMA = \{$([^}]*)^\}$/m)![1]!.matchAll(/"(\w+)"/g)].map(
  ([, code]) => code!,
);

/** Faults that the OpenAPI document rules out by its schemas, or that are answered with another code around them. */
const WITHIN_SCHEMA = [
  'missing_property',
  'unknown_property',
  'wrong_type',
  'no_form_matches',
  'not_allowed_value',
  'bad_format',
  'too_short',
  'too_long',
  'too_few',
  'too_many',
  'not_unique',
  'invalid_email',
  'invalid_phone',
  'control_character',
  'invalid_unicode',
  'invalid_base64',
  'attachment_kind_unavailable',
  'body_too_large_for_mail',
  'body_differs',
  'perhaps_accepted',
];

/** Faults of a server without PUBLIC_URL, which the tested one has. */
const IMPOSSIBLE_HERE = ['public_url_missing'];

describe('the run of Schemathesis', () => {
  it('knows of each fault whether the OpenAPI document rules it out', () => {
    expect([...beyondSchema, ...WITHIN_SCHEMA, ...IMPOSSIBLE_HERE].sort()).toEqual(Object.keys(FAULTS).sort());
  });
});
