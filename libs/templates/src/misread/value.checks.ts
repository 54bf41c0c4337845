import { TokenKind, TypeGuards, type PropertyAccessToken, type Token, type Tokenizer } from 'liquidjs';
import { FILTER_ADVICE } from './foreign.names';
import { INVISIBLE_CHARACTERS, JOINING_CHARACTERS, Misread, TYPOGRAPHIC_QUOTES } from './misread';

const { isOperatorToken, isPropertyAccessToken, isQuotedToken, isNumberToken, isRangeToken, isWordToken } = TypeGuards;

type FilterArg = ReturnType<Tokenizer['readFilters']>[number]['args'][number];

const LOGICAL_OPERATORS = ['and', 'or'];
/** Within a name, an apostrophe and characters that join letters may be intended. */
const INVALID_NAME = new RegExp(
  `[${INVISIBLE_CHARACTERS}]|^[${TYPOGRAPHIC_QUOTES}${JOINING_CHARACTERS}]|[${TYPOGRAPHIC_QUOTES}${JOINING_CHARACTERS}]$`,
);
/** Formats with conversions that Liquid knows only. */
const DATE_FORMAT = /^(?:[^%]|%[-_^#:\d]*[EO]?[aAbBcCdDeFhHIjklLmMnNpPqrRsStTuUwWxXyYzZ%])*$/;
/** Allows the blank that Liquid knows in addition to those of `\s`. */
const CLOSING_BRACKET = /[\s\u180e]*\]/y;

/**
 * Reads a value with its filters as Liquid does, and refuses what Liquid would ignore. A missing value is for Liquid to report. `until` is a
 * character that may follow the value.
 */
export function checkValue(tokenizer: Tokenizer, until?: string): void {
  tokenizer.skipBlank();
  const start = tokenizer.p;
  const tokens = checkExpression(tokenizer);
  const end = tokens.at(-1)?.end ?? start;
  tokenizer.skipBlank();
  // Liquid skips a dot that no name follows.
  if (tokenizer.input.slice(end, tokenizer.p).trim() !== '') throw misreadFrom(tokenizer, end);
  refuseHtml(tokens);
  refuseArrow(tokens);
  refuseSubstitute(tokenizer, tokens);
  if (tokenizer.peek() === '|') checkFilters(tokenizer);
  if (tokenizer.peek() !== until) checkEnd(tokenizer);
}

/** Refuses anything that follows. */
export function checkEnd(tokenizer: Tokenizer): void {
  tokenizer.skipBlank();
  if (!tokenizer.end()) throw misreadFrom(tokenizer, tokenizer.p);
}

function misreadFrom(tokenizer: Tokenizer, at: number): Misread {
  return new Misread(at, tokenizer.input.slice(at, tokenizer.N));
}

/** Reads values with operators between them. With other sequences, Liquid's evaluation would use only one of the values. */
function checkExpression(tokenizer: Tokenizer): Token[] {
  const tokens: Token[] = [];
  let isValueDue = true;
  for (const token of tokenizer.readExpressionTokens()) {
    if (!isOperatorToken(token)) {
      if (!isValueDue) throw misreadFrom(tokenizer, token.begin);
      checkOperand(token);
      isValueDue = false;
    } else {
      const isInPlace = token.operator === 'not' ? isValueDue && !isComparison(tokens.at(-1)) : !isValueDue;
      if (!isInPlace) throw misreadFrom(tokenizer, token.begin);
      isValueDue = true;
    }
    tokens.push(token);
  }
  if (isValueDue && tokens.length > 0) throw misreadFrom(tokenizer, tokens.at(-1)!.begin);
  return tokens;
}

function isComparison(token: Token | undefined): boolean {
  return isOperatorToken(token) && token.operator !== 'not' && !LOGICAL_OPERATORS.includes(token.operator);
}

function isOperator(token: Token | undefined, operator: string): boolean {
  return isOperatorToken(token) && token.operator === operator;
}

/** Liquid would read `first<br>name` as two comparisons. */
function refuseHtml(tokens: Token[]): void {
  tokens.forEach((token, at) => {
    const [name, close] = tokens.slice(at + 1, at + 3);
    if (!isOperator(token, '<') || !isOperator(close, '>') || token.end !== name!.begin || name!.end !== close!.begin) {
      return;
    }
    throw new Misread(token.begin, token.input.slice(token.begin, close!.end));
  });
}

/** Liquid would compare `user-` with `name` in `user->name`. */
function refuseArrow(tokens: Token[]): void {
  tokens.forEach((token, at) => {
    const before = tokens[at - 1];
    if (!isOperator(token, '>') || before?.end !== token.begin || before.input[before.end - 1] !== '-') return;
    throw new Misread(before.begin, token.input.slice(before.begin, tokens.at(-1)!.end));
  });
}

/** `name or "x"` is always true, and so is `a == "x" or "y"`. */
function refuseSubstitute(tokenizer: Tokenizer, tokens: Token[]): void {
  tokens.forEach((token, at) => {
    const [value, next] = tokens.slice(at + 1, at + 3);
    if (!isOperatorToken(token) || !LOGICAL_OPERATORS.includes(token.operator) || isComparison(next)) return;
    if (isQuotedToken(value) || isNumberToken(value)) throw misreadFrom(tokenizer, token.begin);
  });
}

function checkFilters(tokenizer: Tokenizer): void {
  for (const { name, args, begin } of tokenizer.readFilters()) {
    const advice = FILTER_ADVICE.get(name);
    if (advice !== undefined) throw new Misread(begin, name, advice);
    for (const arg of args) checkOperand(Array.isArray(arg) ? arg[1] : arg);
    if (name === 'date') checkDateFormat(args[0]);
  }
}

/** PHP, Java and JavaScript have other formats, which Liquid would show as they are. */
function checkDateFormat(format: FilterArg | undefined): void {
  if (!format || Array.isArray(format) || !isQuotedToken(format)) return;
  const text = format.content;
  if (text.trim() === '' || (text.includes('%') && DATE_FORMAT.test(text))) return;
  throw new Misread(format.begin, format.getText(), 'write a format of strftime: {{ at | date: "%Y-%m-%d %H:%M" }}');
}

/** Checks one value and the values within it. */
export function checkOperand(token: Token | undefined): void {
  if (isRangeToken(token)) {
    checkOperand(token.lhs);
    checkOperand(token.rhs);
  } else if (isPropertyAccessToken(token)) {
    checkPath(token);
  } else if (isQuotedToken(token)) {
    const text = token.getText();
    if (text.length < 2 || text.at(-1) !== text[0]) throw new Misread(token.begin, text, 'close the quote');
  }
}

function checkPath(path: PropertyAccessToken): void {
  const { input, variable, props } = path;
  checkOperand(variable);
  const text = path.getText();
  if (text.startsWith('.') || text.endsWith('.')) throw new Misread(path.begin, text);
  if (text === 'True' || text === 'False') throw new Misread(path.begin, text, `write ${text.toLowerCase()}`);
  for (const prop of props) {
    if (isWordToken(prop) && prop.size() > 0) checkName(prop);
    else checkBracket(prop);
  }

  function checkName({ begin, end }: Token): void {
    const name = input.slice(begin, end);
    if (INVALID_NAME.test(name) || (name.endsWith('?') && end < path.end)) throw new Misread(begin, text);
  }

  function checkBracket(prop: Token): void {
    checkOperand(prop);
    CLOSING_BRACKET.lastIndex = prop.end;
    if (prop.kind === TokenKind.Word || !CLOSING_BRACKET.test(input)) throw new Misread(path.begin, text);
  }
}
