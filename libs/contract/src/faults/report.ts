import type { Fault } from '@lettermill/problems';
import type { Finding } from '../rules/rules';

/** The search ends there: a body with millions of faults must not fill the memory. */
export const MAX_FOUND_FAULTS = 10_000;

/** Collects the faults that the walk finds. */
export class Report {
  readonly faults: Fault[] = [];

  get isFull(): boolean {
    return this.faults.length >= MAX_FOUND_FAULTS;
  }

  add(pointer: string, code: Fault['code'], detail: string): void {
    if (!this.isFull) this.faults.push({ pointer, code, detail });
  }

  /** Adds what a rule found; returns whether it found anything. */
  addAll(pointer: string, found: Finding | Finding[] | undefined): boolean {
    if (found === undefined) return false;
    for (const { at = '', code, detail } of Array.isArray(found) ? found : [found]) {
      this.add(pointer + at, code, detail);
    }
    return true;
  }
}
