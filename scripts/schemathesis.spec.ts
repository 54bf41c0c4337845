import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAULTS } from '@lettermill/problems';

const hooks = readFileSync(join(__dirname, 'schemathesis_hooks.py'), 'utf8');
const beyondSchema = [...hooks.match(/^BEYOND_SCHEMA = \{$([^}]*)^\}$/m)![1]!.matchAll(/"(\w+)"/g)].map(
  ([, code]) => code!,
);

/** What the document of the API tells by itself: in its schemas, or because an answer has another code around it. */
const TOLD = [
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
];

/** Of a server without PUBLIC_URL; the one that is tried has it. */
const NOT_THERE = ['public_url_missing'];

describe('the run of Schemathesis', () => {
  it('knows of each fault whether the document of the API tells it', () => {
    expect([...beyondSchema, ...TOLD, ...NOT_THERE].sort()).toEqual(Object.keys(FAULTS).sort());
  });
});
