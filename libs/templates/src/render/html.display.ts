/** Attributes of an element. */
export type Attributes = Partial<Record<string, string>>;

/** Not at all; on a line of its own; with blanks around it; with blanks around its children, on a line of its own or not. */
export type Display = 'none' | 'block' | 'apart' | 'flex' | 'inline-flex';

const DISPLAY_OR_FLOAT = /(?<![^;\s])(display|float)\s*:\s*([a-z-]+)/gi;
const DISPLAYS = new Map<string, Display>([
  ['none', 'none'],
  ...['block', 'table', 'table-row', 'list-item', 'flow-root'].map((name) => [name, 'block'] as const),
  ...['flex', 'grid'].map((name) => [name, 'flex'] as const),
  ...['inline-flex', 'inline-grid'].map((name) => [name, 'inline-flex'] as const),
  ['table-cell', 'apart'],
]);
const SIDES = new Set(['left', 'right', 'inline-start', 'inline-end']);

/**
 * How a mail program shows an element, as far as its own attributes tell; `undefined` as usual. What only `mso-hide` hides is shown: it is
 * hidden in Outlook, which is shown something else.
 */
export function displayOf({ style, hidden, class: names }: Attributes): Display | undefined {
  // MJML hides all images of a carousel but the first until their thumbnail is chosen, which only shows them once more.
  if (names?.startsWith('mj-carousel-image ')) return undefined;
  if (names?.startsWith('mj-carousel-thumbnail ')) return 'none';
  const { display, float } = style === undefined ? NOTHING : lastOf(style);
  if (display === undefined && hidden !== undefined) return 'none';
  return DISPLAYS.get(display ?? '') ?? (SIDES.has(float ?? '') ? 'apart' : undefined);
}

const NOTHING: { display?: string; float?: string } = {};

/** The last one counts. Most styles have none, and finding that out must cost little. */
function lastOf(style: string): typeof NOTHING {
  if (style.search(DISPLAY_OR_FLOAT) < 0) return NOTHING;
  const last: typeof NOTHING = {};
  for (const [, name, value] of style.matchAll(DISPLAY_OR_FLOAT)) {
    last[name!.toLowerCase() as keyof typeof last] = value!.toLowerCase();
  }
  return last;
}

/**
 * Whether nothing of a box is seen, as of a preheader that is not to be `display:none`. Inline elements and tables have no such height. Other
 * ways to hide, such as `opacity:0` or `font-size:0`, do not work everywhere, or not for what is within.
 */
export function isClipped({ style }: Attributes): boolean {
  if (style === undefined || !/max-height/i.test(style)) return false;
  const values = new Map(style.toLowerCase().split(';').map(declaration));
  const isPadded = [...values].some(([name, value]) => name.startsWith('padding') && /[1-9]/.test(value));
  return (
    !isPadded && /^0[.0]*(?![.\d])/.test(values.get('max-height') ?? '') && /^hidden/.test(values.get('overflow') ?? '')
  );
}

function declaration(text: string): [string, string] {
  const colon = text.indexOf(':');
  return [text.slice(0, Math.max(0, colon)).trim(), text.slice(colon + 1).trim()];
}

export function isRaised({ style }: Attributes): boolean {
  return style !== undefined && /(?<![^;\s])vertical-align\s*:\s*super/i.test(style);
}
