import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** DATA_DIR has lost a half: going on would write to who unsubscribed, send what was sent, and know no campaign. */
export class DataIncomplete extends Error {
  readonly code = 'data_incomplete';

  constructor(directory: string, there: string, lost: string) {
    super(
      `${directory} has ${there} but not ${lost}, which belongs to it. ` +
        'Restore the whole directory from one backup; to start over, set DATA_DIR to an empty one.',
    );
  }
}

/**
 * Throws `DataIncomplete` where one of log and stores is there without the other. However a start is cut short, it leaves none so: the log
 * is made first, and no topic of it before the stores. Answers whether it was in use before: services, who make the topics, have stood on it.
 */
export function mustBeWhole(directory: string, log: string, store: string): boolean {
  const hasLog = existsSync(join(directory, log));
  const hasStore = existsSync(join(directory, store));
  if (hasStore && !hasLog) throw new DataIncomplete(directory, store, log);
  const topics = join(directory, log, 'topics');
  const used = existsSync(topics) && readdirSync(topics).length > 0;
  if (!hasStore && used) throw new DataIncomplete(directory, log, store);
  return used;
}
