/** The URL that a text is; undefined where it is none. `URL.canParse` is no help: once it is compiled, Node 20 refuses every host with an umlaut. */
export function urlIn(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
