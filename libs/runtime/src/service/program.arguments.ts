import { VERSION } from '@lettermill/version';

/** EX_USAGE of sysexits.h. */
const EXIT_USAGE = 64;

export interface Answer {
  text: string;
  exitCode: number;
}

/**
 * What `program` prints instead of running; undefined if it is to run, with no argument or one that is `allowed`. Unknown
 * arguments are refused, because ignored ones would seem to work: `--port 80` has no effect, PORT has.
 */
export function answerToArguments(given: string[], program: string, allowed: string[] = []): Answer | undefined {
  const [first, ...more] = given;
  if (first === undefined || (allowed.includes(first) && more.length === 0)) return undefined;
  const may = allowed.length === 0 ? 'no arguments' : `${allowed.join(' or ')}, or nothing`;
  const usage = `${program} takes ${may}. Everything else is set by environment variables: see docs/operating.md.`;
  if (more.length === 0 && ['--version', '-V'].includes(first)) return { text: VERSION, exitCode: 0 };
  if (more.length === 0 && ['--help', '-h'].includes(first)) return { text: usage, exitCode: 0 };
  return { text: `Unknown arguments «${given.join(' ')}»: ${usage}`, exitCode: EXIT_USAGE };
}
