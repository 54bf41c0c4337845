import { DAY_MS, HOUR_MS } from '@lettermill/concurrency';
import { InvalidArgumentError } from 'commander';
import { CommandFault } from './command.fault';

const MS_PER_UNIT: Record<string, number> = { s: 1000, m: 60_000, h: HOUR_MS, d: DAY_MS };

const EARLIEST_TIME = Date.parse('0000-01-01T00:00:00Z');

/** `90m`, `2h`, `7d` before now, or an RFC 3339 time; undefined if it is neither. */
export function instantOf(text: string, now: number): string | undefined {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const at = unit ? now - Number(count) * MS_PER_UNIT[unit]! : timeOf(text);
  // No gateway accepts times before the year 0.
  return at >= EARLIEST_TIME ? new Date(at).toISOString() : undefined;
}

/** NaN if it is not a time: 31 September, for example, which `Date` takes for 1 October. */
function timeOf(text: string): number {
  const [, day] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.exec(text) ?? [];
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return midnight >= EARLIEST_TIME && new Date(midnight).toISOString().startsWith(day!) ? Date.parse(text) : NaN;
}

export function parseCount(text: string): number {
  if (!/^(?!0+$)\d{1,7}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 9999999.');
  return Number(text);
}

/** Of two filters of a name only the last would count. */
export function parseFilter(text: string, earlier: string | undefined): string {
  if (earlier !== undefined) throw new InvalidArgumentError('It must be given only once.');
  return text;
}

export function parseSince(text: string, earlier: string | undefined): string {
  if (!instantOf(text, Date.now()))
    throw new InvalidArgumentError('It must be a time such as 90m, 2h or 7d, or in RFC 3339.');
  return parseFilter(text, earlier);
}

/** Ensures that either ids are given, or --all with filters. Throws `CommandFault` (2) if both or neither are. */
export function requireIdsOrAll(ids: string[], all: boolean | undefined, filtered: boolean, what = 'ids'): void {
  if (ids.length === 0 && !all) throw new CommandFault(`Give ${what} or --all.`, 2);
  if (ids.length > 0 && all) throw new CommandFault(`Give ${what} or --all, not both.`, 2);
  if (ids.length > 0 && filtered) throw new CommandFault(`Filters go with --all, not with ${what}.`, 2);
}
