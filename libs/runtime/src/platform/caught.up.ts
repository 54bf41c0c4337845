/**
 * Resolves to true once this service has handled everything that was on these topics at the time of the call, and to false
 * after `timeoutMs`. A read that must see what was just accepted waits for this.
 */
export type CaughtUp = (topics: string[], timeoutMs: number) => Promise<boolean>;

export const CAUGHT_UP = Symbol('CaughtUp');
