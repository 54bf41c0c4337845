import fc from 'fast-check';
import type { Json } from '@lettermill/events';
import { mergedText, mergeProfile } from './profile.merge';

const text = (value: unknown) => JSON.stringify(value);
const parsed = (json: string) => JSON.parse(json) as Json;

const key = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'a', 'b', 'c'),
  fc.string({ maxLength: 4 }),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, 1.5, '', 'text'),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
}));
const profile = fc
  .array(fc.tuple(key, value), { maxLength: 5 })
  .map((entries) => parsed(text(Object.fromEntries(entries))));

/** Every path that ends in a value that is not an object, with that value. */
function leaves(json: unknown, path: string[] = []): [string[], unknown][] {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return [[path, json]];
  return Object.entries(json).flatMap(([name, inner]) => leaves(inner, [...path, name]));
}

function valueAt(json: unknown, path: string[]): unknown {
  return path.reduce<unknown>((inner, name) => {
    expect(Object.hasOwn(inner as object, name)).toBe(true);
    return Object.getOwnPropertyDescriptor(inner, name)!.value as unknown;
  }, json);
}

describe('mergeProfile', () => {
  it('keeps keys named like prototype members as data, and changes no prototype', () => {
    const merged = mergeProfile(
      parsed('{"__proto__":{"a":1},"constructor":{"prototype":{"x":1}}}'),
      parsed('{"__proto__":{"b":2},"constructor":{"prototype":{"y":2}}}'),
    );
    expect(text(merged)).toBe('{"__proto__":{"a":1,"b":2},"constructor":{"prototype":{"x":1,"y":2}}}');
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(({} as Json).a ?? ({} as Json).x).toBeUndefined();
  });

  it('does not merge into a property that only the prototype has', () => {
    expect(text(mergeProfile({}, parsed('{"toString":{"a":1},"constructor":{"b":1}}')))).toBe(
      '{"toString":{"a":1},"constructor":{"b":1}}',
    );
  });

  it('stores null, replaces arrays and scalars, merges objects at every depth', () => {
    const merged = mergeProfile(
      { name: 'Ada', tags: [1, 2], address: { city: 'London', geo: { lat: 1 } }, plan: { name: 'x' } },
      { name: null, tags: [3], address: { geo: { lon: 2 } }, plan: 'free' },
    );
    expect(merged).toEqual({
      name: null,
      tags: [3],
      address: { city: 'London', geo: { lat: 1, lon: 2 } },
      plan: 'free',
    });
  });

  it('skips layers that are undefined', () => {
    expect(mergeProfile({ a: 1 }, undefined, { b: 2 })).toEqual({ a: 1, b: 2 });
    expect(mergeProfile()).toEqual({});
  });

  it('keeps every value of the recipient, then what only the request has, then what only the store has', () => {
    fc.assert(
      fc.property(profile, profile, profile, (stored, request, recipient) => {
        const merged = mergeProfile(stored, request, recipient);
        for (const [path, leaf] of leaves(recipient)) {
          if (path.length > 0) expect(text(valueAt(merged, path))).toBe(text(leaf));
        }
        for (const name of Object.keys(request)) {
          if (!Object.hasOwn(recipient, name) && !Object.hasOwn(stored, name)) {
            expect(text(valueAt(merged, [name]))).toBe(text(valueAt(request, [name])));
          }
        }
        for (const name of Object.keys(stored)) {
          if (!Object.hasOwn(recipient, name) && !Object.hasOwn(request, name)) {
            expect(text(valueAt(merged, [name]))).toBe(text(valueAt(stored, [name])));
          }
        }
      }),
    );
  });

  it('gives the same result when repeated, however the layers are grouped', () => {
    fc.assert(
      fc.property(profile, profile, profile, (stored, request, recipient) => {
        const once = mergeProfile(stored, request, recipient);
        expect(text(mergeProfile(once, request, recipient))).toBe(text(once));
        expect(text(mergeProfile(mergeProfile(stored, request), recipient))).toBe(text(once));
      }),
    );
  });

  it('changes none of its arguments, and its result survives JSON', () => {
    fc.assert(
      fc.property(profile, profile, (stored, data) => {
        const before = [text(stored), text(data)];
        const merged = mergeProfile(stored, data);
        expect([text(stored), text(data)]).toEqual(before);
        expect(text(parsed(text(merged)))).toBe(text(merged));
        expect(({} as Json).polluted).toBeUndefined();
      }),
    );
  });
});

describe('mergedText', () => {
  it('is the merged profile as compact JSON', () => {
    fc.assert(
      fc.property(profile, profile, (stored, data) => {
        expect(mergedText(text(stored), undefined, data)).toBe(text(mergeProfile(stored, data)));
      }),
    );
  });
});
