/** Parses a URL; undefined if the text is none. Not by `URL.canParse`: once compiled, Node 20's refuses every host with an umlaut. */
export function urlIn(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
