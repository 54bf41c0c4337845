import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_PORTS, SERVICES } from '@lettermill/runtime';
import { PORTS, PROGRAMS } from './programs';

describe('what the image can be', () => {
  it('is every service and what stands beside them, each with a program', () => {
    expect(Object.keys(PROGRAMS).sort()).toEqual(
      [...SERVICES, 'cli', 'hop', 'init', 'mailbox', 'standalone', 'welcome'].sort(),
    );
    for (const program of Object.values(PROGRAMS)) {
      const source = join(__dirname, '../../apps', program.replace(/js$/, 'ts'));
      expect([source, existsSync(source)]).toEqual([source, true]);
    }
  });

  it('looks for health where the services listen', () => {
    expect(PORTS).toEqual({ ...DEFAULT_PORTS, standalone: DEFAULT_PORTS.gateway });
  });
});
