import type { DeadLetterFilter } from '@lettermill/log';

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export interface FilterOptions {
  topic?: string;
  group?: string;
  code?: string;
  since?: string;
}

/** `90m`, `2h`, `7d` before now, or an RFC 3339 time; undefined where it is neither. */
export function instantOf(text: string, now: number): string | undefined {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (unit) return new Date(now - Number(count) * UNITS[unit]!).toISOString();
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  return isTime && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : undefined;
}

export function filterOf({ topic, group, code, since }: FilterOptions, now: number): DeadLetterFilter {
  return {
    ...(topic !== undefined && { topic }),
    ...(group !== undefined && { group }),
    ...(code !== undefined && { code }),
    ...(since !== undefined && { since: instantOf(since, now) }),
  };
}

/** In words, for the question whether it is meant. */
export function filterText(filter: DeadLetterFilter): string {
  const { until: _, ...asked } = filter;
  const parts = Object.entries(asked).map(([name, value]) => `${name} ${value}`);
  return parts.length === 0 ? 'all of them' : parts.join(', ');
}
