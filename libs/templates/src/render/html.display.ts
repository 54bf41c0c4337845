/** Attributes of an element. */
export type Attributes = Partial<Record<string, string>>;

const DISPLAY = /(?<![^;\s])display\s*:\s*([a-z-]+)/gi;
/** Values of `display` that begin a line of their own. */
const BLOCKS = new Set(['block', 'flex', 'grid', 'table', 'list-item', 'flow-root']);

/**
 * How a mail program shows an element, as far as its own attributes tell: not at all, on a line of its own, or as usual. What only
 * `mso-hide` hides is shown: it is hidden in Outlook, which is shown something else.
 */
export function displayOf({ style, hidden }: Attributes): 'none' | 'block' | undefined {
  const display = style === undefined ? undefined : lastDisplay(style);
  if (display === undefined) return hidden === undefined ? undefined : 'none';
  if (display === 'none') return 'none';
  return BLOCKS.has(display) ? 'block' : undefined;
}

/** The last one counts. Most styles have none, and finding that out must cost little. */
function lastDisplay(style: string): string | undefined {
  let last: string | undefined;
  if (style.search(DISPLAY) < 0) return last;
  for (const [, display] of style.matchAll(DISPLAY)) last = display!.toLowerCase();
  return last;
}
