import { Logger } from '@nestjs/common';

/** A store whose tables or indexes this version neither knows nor can build upon. */
export class StoreUnreadable extends Error {
  readonly code = 'data_unreadable';
  readonly retryable = false;

  constructor(feature: string, unknown: string[], startOver: string) {
    super(
      `the store of \`${feature}\` was written by a version that this one cannot read (${unknown.join(', ')}): ` +
        `start that version, or ${startOver}`,
    );
    // Nest logs the stack of whatever keeps a store from opening; the text says what to do.
    delete this.stack;
  }
}

interface Named {
  name: string;
}

/**
 * Judges a feature's store by what was `applied` to it, before anything is written. Throws `StoreUnreadable` if that has unknown names and
 * lacks the first known one: the tables are others. Unknown names beside known ones are of a newer version, which is reported.
 */
export function mustBeReadable(feature: string, applied: Named[], known: Named[], startOver: string): void {
  const has = (names: Named[], name: string) => names.some((one) => one.name === name);
  const unknown = applied.map(({ name }) => name).filter((name) => !has(known, name));
  if (unknown.length === 0) return;
  const [first] = known;
  if (first && !has(applied, first.name)) throw new StoreUnreadable(feature, unknown, startOver);
  const [service] = feature.split('.');
  new Logger(service!).warn(
    `the store of \`${feature}\` was brought up to date by a newer version (${unknown.join(', ')}): ` +
      'this one may not know what to write there; if it fails, start that version, or restore the backup made before it',
  );
}
