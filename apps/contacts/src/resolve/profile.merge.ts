import { isObject, type Json } from '@lettermill/contract';

/** Maximum bytes of a profile as compact JSON (docs/send.md 8). */
export const MAX_PROFILE_BYTES = 256 * 1024;

/** Sets any key as data: plain assignment to `__proto__` would change the prototype. */
function setKey(target: Json, key: string, value: unknown): void {
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
    setKey(merged, key, isObject(value) && isObject(under) ? mergeTwo(under, value) : value);
  }
  return merged;
}

/**
 * Merges several profiles into one, each over those before it (docs/send.md 8): objects merge key by key at every depth, arrays and scalars
 * replace, null is a value. The arguments are not changed; the result may share parts with them.
 */
export function mergeProfile(...layers: (Json | undefined)[]): Json {
  return layers.reduce<Json>((below, above) => (above ? mergeTwo(below, above) : below), {});
}

/** `mergeProfile` onto a profile that is JSON text, so that only this one profile is parsed in memory. */
export function mergedText(profile: string, ...layers: (Json | undefined)[]): string {
  return JSON.stringify(mergeProfile(JSON.parse(profile) as Json, ...layers));
}
