import type { DeadLetterFilter } from '@lettermill/log';
import { instantOf } from '../arguments';
import { chosenText } from '../output';

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

/** In words, for the question whether it is meant. */
export function filterText({ until: _, ...asked }: DeadLetterFilter): string {
  return chosenText(asked);
}
