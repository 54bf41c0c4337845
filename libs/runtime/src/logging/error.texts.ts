import pino, { type LogFn } from 'pino';

/** Stands for the text of a SyntaxError: engines repeat in it what they could not parse, which may be a part of a mail. */
const LEFT_OUT = 'a text cannot be parsed (what it says is left out)';

type Failure = Error & { errors?: unknown };
/** As pino's serializer returns it. */
interface ErrorFields {
  message: string;
  stack: string;
  aggregateErrors?: ErrorFields[];
}

const isError = (value: unknown): value is Failure =>
  typeof (value as Partial<Error> | null | undefined)?.message === 'string';

/** The texts of all syntax errors that an error is, has as its cause, or joins. */
function textsOfSyntaxErrors(error: unknown, seen = new Set<unknown>()): string[] {
  if (!isError(error) || seen.has(error)) return [];
  seen.add(error);
  const { name, message, cause, errors } = error;
  const below = [cause, ...(Array.isArray(errors) ? (errors as unknown[]) : [])];
  return [
    ...(name === 'SyntaxError' && message !== '' ? [message] : []),
    ...below.flatMap((one) => textsOfSyntaxErrors(one, seen)),
  ];
}

const without = (text: string, parts: string[]) => parts.reduce((left, part) => left.replaceAll(part, LEFT_OUT), text);

function withoutIn(told: ErrorFields, parts: string[]): ErrorFields {
  return {
    ...told,
    message: without(told.message, parts),
    stack: without(told.stack, parts),
    aggregateErrors: told.aggregateErrors?.map((one) => withoutIn(one, parts)),
  };
}

/** An error as pino writes it; of syntax errors only the frames of the stack are left. */
export function errorFields(error: Error): unknown {
  const parts = textsOfSyntaxErrors(error);
  const told = pino.stdSerializers.err(error);
  return parts.length === 0 ? told : withoutIn(told, parts);
}

/** pino's hook of each line: leaves the texts of syntax errors out of its message, which is often that of its error. */
export function logErrorTexts(this: pino.Logger, args: Parameters<LogFn>, log: LogFn): void {
  const [fields, text, ...values] = args as [unknown, unknown, ...unknown[]];
  const error = isError(fields) ? fields : (fields as { err?: unknown } | null | undefined)?.err;
  const parts = textsOfSyntaxErrors(error);
  if (parts.length === 0) return log.apply(this, args);
  const told = typeof text === 'string' ? text : (error as Failure).message;
  log.apply(this, [fields, without(told, parts), ...values] as Parameters<LogFn>);
}

/** The message of a line, without the text of a syntax error that was made a part of it (`String(error)`). */
export function messageText(text: string): string {
  return text.includes('SyntaxError: ') ? text.replace(/\bSyntaxError: [^]*/, `SyntaxError: ${LEFT_OUT}`) : text;
}
