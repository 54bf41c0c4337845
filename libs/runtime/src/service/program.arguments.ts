import { VERSION } from '@lettermill/version';

/** What sysexits.h calls EX_USAGE. */
const EXIT_USAGE = 64;

export interface Answer {
  text: string;
  exitCode: number;
}

/**
 * What `program` says to its arguments in place of running; undefined where it runs, with none or with one that it
 * `takes`. What was passed over would seem to count: `--port 80` does nothing here, PORT does.
 */
export function answerTo(given: string[], program: string, takes: string[] = []): Answer | undefined {
  const [first, ...more] = given;
  if (first === undefined || (takes.includes(first) && more.length === 0)) return undefined;
  const may = takes.length === 0 ? 'no arguments' : `${takes.join(' or ')}, or nothing`;
  const usage = `${program} takes ${may}. Everything else is set by environment variables: see docs/operating.md.`;
  if (more.length === 0 && ['--version', '-V'].includes(first)) return { text: VERSION, exitCode: 0 };
  if (more.length === 0 && ['--help', '-h'].includes(first)) return { text: usage, exitCode: 0 };
  return { text: `Unknown arguments «${given.join(' ')}»: ${usage}`, exitCode: EXIT_USAGE };
}
