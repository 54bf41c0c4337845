import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_PORTS, SERVICES } from '@lettermill/config';
import { PORTS, PROGRAMS } from './programs';

describe('the programs of the image', () => {
  it('include every service and its companions, each with a source file', () => {
    expect(Object.keys(PROGRAMS).sort()).toEqual(
      [...SERVICES, 'cli', 'hop', 'init', 'mailbox', 'standalone', 'welcome'].sort(),
    );
    for (const program of Object.values(PROGRAMS)) {
      const source = join(__dirname, '../../apps', program.replace(/js$/, 'ts'));
      expect([source, existsSync(source)]).toEqual([source, true]);
    }
  });

  it('are checked for health on the ports where the services listen', () => {
    expect(PORTS).toEqual({ ...DEFAULT_PORTS, standalone: DEFAULT_PORTS.gateway });
  });
});
