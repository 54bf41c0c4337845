import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The package.json of this build: the first one on the way up. */
function readPackageFile(directory: string): { version: string } {
  for (let at = directory; ; at = dirname(at)) {
    try {
      return JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as { version: string };
    } catch (error) {
      if (at === dirname(at)) throw error;
    }
  }
}

/** A library of its own: who asks a command for it waits for nothing else to be loaded. */
export const VERSION = readPackageFile(__dirname).version;
