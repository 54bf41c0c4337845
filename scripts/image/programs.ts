import { DEFAULT_PORTS, SERVICES } from '@lettermill/config';

const APPS = [...SERVICES, 'mailbox', 'standalone', 'cli', 'init'];

/** The programs of the image (paths below `dist/apps`), by the argument that it is started with. */
export const PROGRAMS: Record<string, string> = {
  ...Object.fromEntries(APPS.map((app) => [app, `${app}/src/main.js`])),
  welcome: 'init/src/welcome.js',
  hop: 'dispatch/src/hop.js',
};

/** Default ports of the programs that keep running. */
export const PORTS: Record<string, number> = { standalone: DEFAULT_PORTS.gateway, ...DEFAULT_PORTS };
