const PARTS = /^-?([0-9]+)(?:\.([0-9]+))?(?:[eE]([-+]?[0-9]+))?$/;
const ZERO = 48;

interface Decimal {
  /** Without leading and trailing zeros; empty for zero. */
  digits: string;
  /** Power of ten of the last digit. */
  power: number;
}

function decimal(number: string): Decimal | undefined {
  const [, whole, fraction = '', exponent = '0'] = PARTS.exec(number) ?? [];
  if (whole === undefined) return undefined;
  const digits = whole + fraction;
  let start = 0;
  let end = digits.length;
  while (start < end && digits.charCodeAt(start) === ZERO) start += 1;
  while (end > start && digits.charCodeAt(end - 1) === ZERO) end -= 1;
  return { digits: digits.slice(start, end), power: Number(exponent) - fraction.length + (digits.length - end) };
}

/**
 * Whether a JSON number keeps its value when it is read as a 64-bit float. Whole numbers must keep every digit (an order
 * number of 20 digits would become another one); fractions only the precision of a float, as for every JSON reader. A number
 * too large or too small for a float is not kept. Text that is not a number passes: the parser refuses it.
 */
export function isExact(number: string): boolean {
  const written = decimal(number);
  if (written === undefined || written.digits === '') return true;
  const read = Number(number);
  if (!Number.isFinite(read) || read === 0) return false;
  if (written.power < 0) return true;
  const again = decimal(String(read))!;
  return again.digits === written.digits && again.power === written.power;
}
