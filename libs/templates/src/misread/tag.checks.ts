import type { Tokenizer } from 'liquidjs';
import type { Place } from './advice';
import { Misread } from './misread';
import { checkEnd, checkOperand, checkValue } from './value.checks';

interface TagCheck {
  place: Place;
  /** Reads what follows the name as Liquid does, and throws `Misread` at what Liquid would ignore. */
  check(args: Tokenizer): unknown;
}

const other = (check: TagCheck['check']): TagCheck => ({ place: 'other', check });
const condition: TagCheck = { place: 'condition', check: (args) => checkValue(args) };

/** `modifiers` are the options that the loop allows, and whether each has a value. */
const loop = (modifiers: Record<string, boolean>): TagCheck => ({
  place: 'loop',
  check(args) {
    args.skipBlank();
    const start = args.p;
    // Liquid reports itself that the tag is empty.
    if (args.end()) return;
    const isLoop = args.readIdentifier().size() > 0 && args.readIdentifier().content === 'in';
    const list = isLoop ? args.readValue() : undefined;
    if (!list) throw new Misread(start, args.input.slice(start, args.N));
    checkOperand(list);
    for (let hash = args.readHash(); hash; hash = args.readHash()) {
      const { name, value, begin } = hash;
      if (modifiers[name.content] !== (value !== undefined)) throw new Misread(begin, args.input.slice(begin, args.N));
      checkOperand(value);
    }
    checkEnd(args);
  },
});

function assign(args: Tokenizer): void {
  args.readIdentifier();
  args.skipBlank();
  // Liquid reports itself what is missing.
  if (args.peek() !== '=') return;
  args.advance();
  checkValue(args);
}

function capture(args: Tokenizer): void {
  if (args.readIdentifier().size() === 0) args.readQuoted();
  checkEnd(args);
}

function count(args: Tokenizer): void {
  args.readIdentifier();
  checkEnd(args);
}

function cycle(args: Tokenizer): void {
  const start = args.p;
  checkOperand(args.readValue());
  args.skipBlank();
  // What was read is the name of a group if a colon follows, otherwise the first value.
  if (args.peek() === ':') args.advance();
  else args.p = start;
  for (; !args.end(); args.advance()) checkValue(args, ',');
}

function when(args: Tokenizer): void {
  while (!args.end()) {
    checkOperand(args.readValueOrThrow());
    args.skipBlank();
    if (args.peek() === ',') args.advance();
    else if (/^or\b/.test(args.input.slice(args.p, args.p + 3))) args.advance(2);
    else checkEnd(args);
  }
}

export const TAG_CHECKS: ReadonlyMap<string, TagCheck> = new Map([
  ...['if', 'elsif', 'unless', 'case'].map((name) => [name, condition] as const),
  ...['else', 'break', 'continue'].map((name) => [name, other(checkEnd)] as const),
  ...['increment', 'decrement'].map((name) => [name, other(count)] as const),
  ['for', loop({ limit: true, offset: true, reversed: false })],
  ['tablerow', loop({ limit: true, offset: true, cols: true })],
  ['echo', { place: 'output', check: (args) => !args.end() && checkValue(args) }],
  ['assign', { place: 'assign', check: assign }],
  ['capture', other(capture)],
  ['cycle', other(cycle)],
  ['when', other(when)],
]);
