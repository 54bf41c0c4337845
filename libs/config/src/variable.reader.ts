import type { Reader } from './config.fields';

export type Complain = (variable: string, problem: string) => void;

/** Reads a variable. One that is not set, or set to blanks, counts as `fallback`, or as null. What is wrong with it is complained about. */
export interface ReadVariable {
  <T>(variable: string, reader: Reader<T>, fallback: string): T;
  <T>(variable: string, reader: Reader<T>): T | null;
}

/** `known` holds the names of the variables that were asked for. */
export function variableReader(
  environment: NodeJS.ProcessEnv,
  complain: Complain,
): { read: ReadVariable; known: Set<string> } {
  const known = new Set<string>();
  function read<T>(variable: string, reader: Reader<T>, fallback: string): T;
  function read<T>(variable: string, reader: Reader<T>): T | null;
  function read<T>(variable: string, reader: Reader<T>, fallback?: string): T | null {
    known.add(variable);
    const input = environment[variable]?.trim() || fallback;
    if (input === undefined) return null;
    const reading = reader(input);
    if ('value' in reading) return reading.value;
    complain(variable, reading.fault);
    return null;
  }
  return { read, known };
}
