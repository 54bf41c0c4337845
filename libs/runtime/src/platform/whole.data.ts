import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Half of DATA_DIR is missing. To go on would mean mails to people who unsubscribed, mails sent twice, and no campaigns. */
export class DataIncomplete extends Error {
  readonly code = 'data_incomplete';

  constructor(directory: string, there: string, lost: string) {
    super(
      `${directory} has ${there} but not ${lost}, which belongs to it. ` +
        'Restore the whole directory from one backup; to start over, set DATA_DIR to an empty one.',
    );
  }
}

/** An empty file is not a store: programs that look for one leave it, and so does a copy that found no room. */
function isStore(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/**
 * Throws `DataIncomplete` if either the log or the stores exist without the other. An interrupted first start never leaves that state: the
 * log is created first, and its topics only after the stores. Returns whether the directory was in use before: services create the topics.
 */
export function mustBeWhole(directory: string, log: string, store: string): boolean {
  const hasLog = existsSync(join(directory, log));
  const hasStore = isStore(join(directory, store));
  if (hasStore && !hasLog) throw new DataIncomplete(directory, store, log);
  const topics = join(directory, log, 'topics');
  const used = existsSync(topics) && readdirSync(topics).length > 0;
  if (!hasStore && used) throw new DataIncomplete(directory, log, store);
  return used;
}
