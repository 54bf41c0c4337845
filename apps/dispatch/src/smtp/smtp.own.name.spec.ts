import { hostname } from 'node:os';
import { rawServer } from '../testing/test.servers';
import { content, hopAt, notWithdrawn, pool, to } from '../testing/pooled';
import { ownName } from './smtp.own.name';

describe('our name in EHLO', () => {
  it.each([
    ['mail.example.com', '10.0.0.7', 'mail.example.com'],
    ['lettermill-dispatch-5d6f7-x2x4z', '10.0.0.7', '[10.0.0.7]'],
    ['localhost', '127.0.0.1', '[127.0.0.1]'],
    ['10.0.0.9', '10.0.0.7', '[10.0.0.7]'],
    ['under_score.example.com', '10.0.0.7', '[10.0.0.7]'],
    ['a'.repeat(260) + '.example.com', '10.0.0.7', '[10.0.0.7]'],
    ['', '2001:db8::7', '[IPv6:2001:db8::7]'],
    ['box', 'fe80::7%eth0', '[IPv6:fe80::7]'],
    ['box', '::ffff:192.0.2.7', '[192.0.2.7]'],
    ['box', undefined, '[127.0.0.1]'],
  ])('for host %s at %s is %s', (host, address, name) => {
    expect(ownName(host, address)).toBe(name);
  });

  it('is the configured name, in EHLO and HELO, and is reported if it is refused', async () => {
    const server = await rawServer({ ehlo: '502 what?', helo: '550 5.7.1 who?' });
    const smtp = pool(hopAt(server.port), { name: 'mail.example.com' });
    const end = await smtp.send(to('ada'), content(), notWithdrawn());
    expect(server.commands.slice(0, 2)).toEqual(['EHLO mail.example.com', 'HELO mail.example.com']);
    expect(end).toMatchObject({
      reason: { code: 'next_hop_unavailable', detail: expect.stringContaining('mail.example.com') },
    });
  });

  it('is derived from host or connection by default, and is reported if it is refused temporarily', async () => {
    const server = await rawServer({ ehlo: '421 4.7.0 Try again later, closing connection. (EHLO)' });
    const end = await pool(hopAt(server.port)).send(to('ada'), content(), notWithdrawn());
    const name = ownName(hostname(), '127.0.0.1');
    expect(server.commands[0]).toBe(`EHLO ${name}`);
    expect(end?.reason?.detail).toContain(name);
  });
});
