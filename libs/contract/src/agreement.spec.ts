import Ajv from 'ajv/dist/2020';
import type { Fault } from '@lettermill/problems';
import * as fc from 'fast-check';
import { contractSchemas } from './components';
import { campaignFaults, sendFaults } from './faults/faults';
import { recipientsOf } from './recipients';
import { launch, nearly, request } from './testing/requests';
import { isSendRequest } from './faults/verdict';

const ajv = new Ajv({ strict: false, validateFormats: false });
const documented = (name: string) =>
  ajv.compile({ components: { schemas: contractSchemas }, $ref: `#/components/schemas/${name}` });

/** Milliseconds for thousands of runs beside the other suites, on slow machines too. */
jest.setTimeout(240_000);

/** Rules that JSON Schema cannot express; the document states them in its descriptions. Its schemas must enforce all others. */
const BEYOND_SCHEMA = new Set<string>([
  // Sizes in bytes, and depth.
  'headers_too_large',
  'profile_data_too_large',
  'profile_data_too_deep',
  // Uniqueness across places of the request.
  'external_message_id_taken',
  // The grammar of an address, which excludes control characters; lone surrogates.
  'invalid_email',
  'control_character',
  'invalid_unicode',
  // Templates in fields of a campaign that are sent as written.
  'template_not_read',
]);

/** Counts the generated values that were accepted: a generator of only invalid ones would prove little. */
function tally() {
  const counts = { taken: 0, refused: 0 };
  return { counts, note: (taken: boolean) => (counts[taken ? 'taken' : 'refused'] += 1) };
}

/** The value as a body has it: plain objects, finite numbers. */
function asParsed(value: unknown): unknown {
  const finite = (_: string, inner: unknown) =>
    typeof inner === 'number' && !Number.isFinite(inner) ? Number.MAX_VALUE : inner;
  return JSON.parse(JSON.stringify(value, finite));
}

/** Ajv takes a member of such a name for a method, so it considers equal items with one different. */
const canCompare = (body: unknown) => !/"(constructor|valueOf|toString)":/.test(JSON.stringify(body));

describe('verdict, list of faults and documented schema', () => {
  it('agree about send requests', () => {
    const { counts, note } = tally();
    const keepsSchema = documented('SendEmailRequest');
    let untold = 0;
    fc.assert(
      fc.property(nearly(request), (value) => {
        const taken = isSendRequest(value);
        note(taken);
        expect(sendFaults(value).length === 0).toBe(taken);
        const body = asParsed(value);
        const kept = keepsSchema(body);
        if (taken) expect(kept).toBe(true);
        if (!kept) return;
        const codes = sendFaults(body).map(({ code }) => code);
        if (!canCompare(body)) return;
        expect(codes.filter((code) => !BEYOND_SCHEMA.has(code))).toEqual([]);
        if (codes.length > 0) untold += 1;
      }),
      { numRuns: 10_000 },
    );
    expect(counts.taken).toBeGreaterThan(1000);
    expect(counts.refused).toBeGreaterThan(1000);
    expect(untold).toBeGreaterThan(50);
  });

  it('agree about campaigns, which have no verdict of their own', () => {
    const { counts, note } = tally();
    const keepsSchema = documented('CampaignLaunch');
    fc.assert(
      fc.property(nearly(launch), (value) => {
        const body = asParsed(value);
        const kept = keepsSchema(body);
        const codes = campaignFaults(body).map(({ code }) => code);
        note(codes.length === 0);
        if (codes.length === 0) expect(kept).toBe(true);
        if (kept && canCompare(body)) expect(codes.filter((code) => !BEYOND_SCHEMA.has(code))).toEqual([]);
      }),
      { numRuns: 5000 },
    );
    expect(counts.taken).toBeGreaterThan(150);
    expect(counts.refused).toBeGreaterThan(500);
  });

  it('agree about anything at all', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(sendFaults(value).length === 0).toBe(isSendRequest(value));
      }),
      { numRuns: 5000 },
    );
  });
});

/** Whether a pointer names a place in the value, or one that a missing member would have. */
function reaches(value: unknown, pointer: string): boolean {
  const steps = pointer.split('/').slice(1);
  let at = value;
  for (const [i, step] of steps.entries()) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null) return false;
    if (!Object.hasOwn(at, key)) return i === steps.length - 1;
    at = (at as Record<string, unknown>)[key];
  }
  return true;
}

describe('each fault', () => {
  it('points into the request, occurs once, and is described in whole characters', () => {
    fc.assert(
      fc.property(nearly(request), (value) => {
        const faults = sendFaults(value);
        // One `expect` for all of them, as each costs more than what is checked.
        const unclear = /[\u0000-\u001f\u007f\u2028\u2029]|\p{Surrogate}/u;
        const wrong = ({ pointer, detail }: Fault) =>
          !reaches(value, pointer) || unclear.test(detail) || detail.length >= 600;
        expect(faults.filter(wrong)).toEqual([]);
        const seen = faults.map(({ pointer, code, detail }) => `${pointer} ${code} ${detail}`);
        expect(new Set(seen).size).toBe(seen.length);
      }),
      { numRuns: 5000 },
    );
  });
});

describe('an accepted request', () => {
  it('has one recipient for each entry, with a key to find the contact by', () => {
    fc.assert(
      fc.property(request, (value) => {
        if (!isSendRequest(value)) return;
        const recipients = recipientsOf(value);
        expect(recipients).toHaveLength(Array.isArray(value.to) ? value.to.length : 1);
        for (const { pointer, contactKey } of recipients) {
          expect(reaches(value, pointer)).toBe(true);
          expect(contactKey).toEqual({ kind: expect.stringMatching(/./), value: expect.stringMatching(/./) });
        }
      }),
      { numRuns: 2500 },
    );
  });
});
