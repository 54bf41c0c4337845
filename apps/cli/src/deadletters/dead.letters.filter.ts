import type { DeadLetterFilter } from '@lettermill/log';
import { instantOf } from '../arguments';
import { describeFilter } from '../output';

export interface FilterOptions {
  topic?: string;
  group?: string;
  code?: string;
  since?: string;
}

export function filterOf({ topic, group, code, since }: FilterOptions, now: number): DeadLetterFilter {
  return {
    ...(topic !== undefined && { topic }),
    ...(group !== undefined && { group }),
    ...(code !== undefined && { code }),
    ...(since !== undefined && { since: instantOf(since, now) }),
  };
}

export function isFiltered(options: FilterOptions): boolean {
  return Object.keys(filterOf(options, 0)).length > 0;
}

/** The filter in words, for the question that asks for confirmation. */
export function filterText({ until: _, ...asked }: DeadLetterFilter): string {
  return describeFilter(asked);
}
