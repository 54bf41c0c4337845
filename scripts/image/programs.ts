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

/** Default ports of the programs that keep running. Repeated here, because loading the services for them would be slow. */
export const PORTS: Record<string, number> = {
  standalone: 3000,
  gateway: 3000,
  contacts: 3001,
  renderer: 3002,
  dispatch: 3003,
  tracker: 3004,
  mailbox: 3005,
};
