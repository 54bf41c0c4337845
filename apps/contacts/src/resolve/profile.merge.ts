import type { Json } from '@lettermill/events';

/** Bytes of the compact JSON of a profile (docs/send.md 8). */
export const PROFILE_LIMIT = 256 * 1024;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Sets a key as data: `__proto__` would reach the prototype by plain assignment. */
function set(target: Json, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}

function mergeTwo(below: Json, above: Json): Json {
  const merged: Json = { ...below };
  for (const key of Object.keys(above)) {
    const value = above[key];
    const under = Object.hasOwn(below, key) ? below[key] : undefined;
    set(merged, key, isObject(value) && isObject(under) ? mergeTwo(under, value) : value);
  }
  return merged;
}

/**
 * One profile out of several, each over those before it (docs/send.md 8): objects merge key by key at every depth, arrays
 * and scalars replace, null is a value. Nothing that is passed in changes; parts may be shared with it.
 */
export function mergeProfile(...layers: (Json | undefined)[]): Json {
  return layers.reduce<Json>((below, above) => (above ? mergeTwo(below, above) : below), {});
}

/** `mergeProfile` onto a profile that is text: what lies parsed in memory is this one alone. */
export function mergedText(profile: string, ...layers: (Json | undefined)[]): string {
  return JSON.stringify(mergeProfile(JSON.parse(profile) as Json, ...layers));
}
