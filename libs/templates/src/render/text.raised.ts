/** An amount in whole units, with its currency before it if it has one there. */
const WHOLE_AMOUNT = /(\p{Sc}\s?)?(?<![.,\d])\d+(?:[.,'’]\d{3})*$/u;
const TWO_DIGITS = /^\d\d(?!\d)/;
const NUMBER = /^[-+−–]?\d/;
/** What a power or the number of a note may follow. */
const BASE = /[\p{L}\d)%]$|\d\s?\p{Sc}$/u;

/**
 * What a text, where all digits are equally high, has before raised or lowered ones: without it, `$19<sup>99</sup>` would be $1999. It is the
 * point of a price, the blank before a fraction, or `^` as for a power, which also suits the number of a note.
 */
export function markBefore(place: 'sup' | 'sub', before: string, raised: string, after: string): string {
  if (!NUMBER.test(raised) || !BASE.test(before)) return '';
  if (isPrice(before, raised, after)) return '.';
  const isDigit = /\d$/.test(before);
  if (place === 'sub') return isDigit ? '_' : '';
  return isDigit && /^\s*[/⁄∕]\s*$/.test(after) ? ' ' : '^';
}

/** Two digits behind a whole amount, with a currency before or behind: `10<sup>12</sup>` is a power. */
function isPrice(before: string, raised: string, after: string): boolean {
  const amount = WHOLE_AMOUNT.exec(before);
  if (!amount || !TWO_DIGITS.test(raised)) return false;
  return amount[1] !== undefined || /^\s*\p{Sc}/u.test(raised.slice(2) + after);
}
