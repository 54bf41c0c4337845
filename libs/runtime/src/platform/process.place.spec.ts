import { placeName, surroundings, type Surroundings } from './process.place';

const machine: Surroundings = {
  hostname: 'mail-1',
  machineId: 'm1',
  hostNamespace: 'uts:[4026531838]',
  networkNamespace: 'net:[4026531840]',
};
const container = { ...machine, hostNamespace: 'uts:[4026532501]' };
const listening = { host: '0.0.0.0', port: 3003 };
const nameIn = (around: Surroundings, more = {}) => placeName('dispatch', { ...listening, ...more }, around);

describe('the place of a process', () => {
  it('is that of the process that follows it, also in a container that was restarted', () => {
    expect(nameIn(machine)).toBe(nameIn({ ...machine }));
    expect(nameIn(container)).toBe(nameIn({ ...container, networkNamespace: 'net:[4026532999]' }));
    expect(placeName('dispatch', listening, surroundings())).toBe(placeName('dispatch', listening, surroundings()));
    expect(nameIn(machine)).toMatch(/^dispatch-mail-1-3003-[0-9a-f]{12}$/);
  });

  it('is not that of a process which may live at the same time', () => {
    const names = [
      nameIn(machine),
      nameIn(machine, { host: '127.0.0.1' }),
      nameIn(machine, { port: 3004 }),
      nameIn({ ...machine, machineId: 'm2' }),
      nameIn({ ...machine, networkNamespace: 'net:[4026532999]' }),
      nameIn({ ...machine, hostname: 'mail-2' }),
    ];
    expect(new Set(names).size).toBe(names.length);
  });

  it('is known where a machine says nothing more of itself', () => {
    const { hostname } = machine;
    const none = { hostname, machineId: undefined, hostNamespace: undefined, networkNamespace: undefined };
    expect(nameIn(none)).toMatch(/^dispatch-mail-1-3003-/);
  });
});
