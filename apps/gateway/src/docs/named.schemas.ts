type Json = Record<string, unknown>;

/** Schemas by name: components of the document. */
export type Components = Record<string, object>;

/**
 * Replaces each schema that has a title by a reference, and adds it to the components under that name. What libraries and
 * apps describe beside their own routes is so named, for client generators, without their knowing this document.
 */
export function withNamesOfTitles<Part>(part: Part, components: Components): Part {
  if (Array.isArray(part)) return part.map((one: unknown) => withNamesOfTitles(one, components)) as Part;
  if (typeof part !== 'object' || part === null) return part;
  const inner = Object.entries(part).map(([key, value]: [string, unknown]) => [key, namedIn(key, value, components)]);
  const { title, ...schema } = Object.fromEntries(inner) as Json;
  if (typeof title !== 'string' || schema.type === undefined)
    return { ...schema, ...(title !== undefined && { title }) } as Part;
  components[title] = { title, ...schema };
  return { $ref: `#/components/schemas/${title}` } as Part;
}

/** Examples are no schemas, whatever their members are called. */
function namedIn(key: string, value: unknown, components: Components): unknown {
  return key === 'example' || key === 'examples' ? value : withNamesOfTitles(value, components);
}
