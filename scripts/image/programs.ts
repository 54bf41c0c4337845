import { DEFAULT_PORTS } from '@lettermill/config';

/** The programs of the image (paths below `dist/apps`), by the argument that it is started with. */
export const PROGRAMS: Record<string, string> = {
  gateway: 'gateway/src/main.js',
  contacts: 'contacts/src/main.js',
  renderer: 'renderer/src/main.js',
  dispatch: 'dispatch/src/main.js',
  tracker: 'tracker/src/main.js',
  mailbox: 'mailbox/src/main.js',
  standalone: 'standalone/src/main.js',
  cli: 'cli/src/main.js',
  init: 'init/src/main.js',
  welcome: 'init/src/welcome.js',
  hop: 'dispatch/src/hop.js',
};

/** Default ports of the programs that keep running. */
export const PORTS: Record<string, number> = { standalone: DEFAULT_PORTS.gateway, ...DEFAULT_PORTS };
