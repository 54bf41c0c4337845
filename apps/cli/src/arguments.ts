import { InvalidArgumentError } from 'commander';
import { CommandFault } from './command.fault';

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const FIRST = Date.parse('0000-01-01T00:00:00Z');

/** `90m`, `2h`, `7d` before now, or an RFC 3339 time; undefined where it is neither. */
export function instantOf(text: string, now: number): string | undefined {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const at = unit ? now - Number(count) * UNITS[unit]! : timeOf(text);
  // Before the year 0 no gateway takes it.
  return at >= FIRST ? new Date(at).toISOString() : undefined;
}

/** NaN where it is none, as of the 31st of September, which `Date` takes for the day after the 30th. */
function timeOf(text: string): number {
  const [, day] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.exec(text) ?? [];
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return midnight >= FIRST && new Date(midnight).toISOString().startsWith(day!) ? Date.parse(text) : NaN;
}

export function count(text: string): number {
  if (!/^(?!0+$)\d{1,7}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 9999999.');
  return Number(text);
}

export function since(text: string): string {
  if (!instantOf(text, Date.now()))
    throw new InvalidArgumentError('It must be a time such as 90m, 2h or 7d, or in RFC 3339.');
  return text;
}

/** Of what is chosen by id, or all together by filters. Throws `CommandFault` (2) where it is both or neither. */
export function idsOrAll(ids: string[], all: boolean | undefined, filtered: boolean): void {
  if (ids.length > 0 === (all === true)) throw new CommandFault('Give ids or --all, not both.', 2);
  if (ids.length > 0 && filtered) throw new CommandFault('Filters go with --all, not with ids.', 2);
}
