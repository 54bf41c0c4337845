import type { Details } from '@lettermill/events';
import fc from 'fast-check';
import { mergeDetails } from './precedence';

const address = fc.record({ email: fc.constantFrom('a@x.test', 'b@x.test', 'c@x.test') });
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const headerName = fc.constantFrom('X-A', 'x-a', 'X-B', 'From', 'content-id', 'ARC-Seal', '__proto__', 'constructor');
const headers = fc.array(fc.tuple(headerName, fc.option(fc.string(), { nil: null }))).map((entries) => {
  const object: Record<string, string | null> = {};
  for (const [name, value] of entries) {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return object;
});
const details: fc.Arbitrary<Details> = fc.record({
  reply_to: optional(address),
  cc: optional(fc.array(address)),
  bcc: optional(fc.array(address)),
  subject: optional(fc.string()),
  text: optional(fc.string()),
  html: optional(fc.string()),
  in_reply_to: optional(fc.string()),
  headers: optional(headers),
});
const levels = fc.array(optional(details), { maxLength: 3 });

describe('precedence of message details', () => {
  it('gives each field to the strongest level that has it', () => {
    const fields = ['reply_to', 'cc', 'bcc', 'subject', 'text', 'html', 'in_reply_to'] as const;
    fc.assert(
      fc.property(levels, (given) => {
        const merged = mergeDetails(given);
        for (const field of fields) {
          const strongest = given.findLast((level) => level?.[field] !== undefined);
          expect(merged[field]).toEqual(strongest?.[field]);
        }
      }),
    );
  });

  it('is the same whether merged at once or step by step', () => {
    fc.assert(
      fc.property(details, details, details, (campaign, request, recipient) => {
        const { headers: merged, ...fields } = mergeDetails([campaign, request]);
        const between: Details = { ...fields, headers: { ...Object.fromEntries(merged) } };
        const nulls = Object.values(recipient.headers ?? {}).includes(null);
        fc.pre(!nulls && !merged.some(([name]) => name === '__proto__'));
        const sorted = (list: [string, string][]) => [...list].sort(([a], [b]) => (a < b ? -1 : 1));
        const atOnce = mergeDetails([campaign, request, recipient]);
        const stepwise = mergeDetails([between, recipient]);
        expect({ ...stepwise, headers: sorted(stepwise.headers) }).toEqual({
          ...atOnce,
          headers: sorted(atOnce.headers),
        });
      }),
    );
  });

  it('has each header once, as the strongest level left it, and none that the transport owns', () => {
    fc.assert(
      fc.property(levels, (given) => {
        const merged = mergeDetails(given).headers;
        const names = merged.map(([name]) => name.toLowerCase());
        expect(new Set(names).size).toBe(names.length);
        expect(names.filter((name) => /^(from|content-id|arc-seal)$/.test(name))).toEqual([]);
        const all = given.flatMap((level) => Object.entries(level?.headers ?? {}));
        for (const key of ['x-a', 'x-b', '__proto__', 'constructor']) {
          const last = all.findLast(([name]) => name.toLowerCase() === key);
          const kept = merged.find(([name]) => name.toLowerCase() === key);
          expect(kept ?? null).toEqual(last && last[1] !== null ? last : null);
        }
      }),
    );
  });

  it('does not change what it merges', () => {
    const campaign = Object.freeze({ cc: Object.freeze([{ email: 'a@x.test' }]) as never, headers: { 'X-A': '1' } });
    expect(mergeDetails([campaign, { cc: [], headers: { 'x-a': '2' } }])).toEqual({ cc: [], headers: [['x-a', '2']] });
    expect(campaign).toEqual({ cc: [{ email: 'a@x.test' }], headers: { 'X-A': '1' } });
  });

  it("keeps the campaign's text beside an overridden html", () => {
    expect(mergeDetails([{ text: 'T', html: 'H' }, { html: 'R' }, { subject: 'S' }])).toMatchObject({
      text: 'T',
      html: 'R',
      subject: 'S',
    });
  });

  it.each([
    'From',
    'TO',
    'cc',
    'Bcc',
    'Subject',
    'Reply-To',
    'In-Reply-To',
    'Content-Type',
    'MIME-Version',
    'Date',
    'Message-ID',
    'Return-Path',
    'Received',
    'Sender',
    'Content-Transfer-Encoding',
    'DKIM-Signature',
    'ARC-Seal',
  ])('ignores the header %s', (name) => {
    expect(mergeDetails([{ headers: { [name]: 'x', 'X-Kept': 'y' } }]).headers).toEqual([['X-Kept', 'y']]);
  });
});
