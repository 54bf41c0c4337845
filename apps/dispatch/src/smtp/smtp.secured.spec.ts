import { createServer, type AddressInfo } from 'node:net';
import type { NextHop } from '@lettermill/config';
import { selfSigned } from '../testing/certificate';
import { afterwards, rawServer, answeringServer } from '../testing/test.servers';
import { content, hopAt, notWithdrawn, pool, to } from '../testing/pooled';
import { SMTP_DEFAULTS } from './smtp.options';

describe('the reported conversation', () => {
  const spoken = async (tls: NextHop['tls'], trusted: boolean) => {
    const certificate = selfSigned();
    const server = await answeringServer({ ...certificate });
    const hop = hopAt(server.port, { host: 'localhost', tls });
    return pool(hop, trusted ? { tls: { ca: certificate.cert } } : {}).send(to('ada'), content(), notWithdrawn());
  };
  const LOOPBACK = expect.stringMatching(/^(127\.0\.0\.1|::1)$/);
  const secured = (verified: boolean) => ({
    protocol: 'TLSv1.3',
    cipher: expect.stringMatching(/^TLS_\w+$/),
    verified,
  });

  it.each<[string, NextHop['tls'], boolean, unknown]>([
    ['without TLS', 'off', false, null],
    ['with TLS, unverified', 'opportunistic', false, secured(false)],
    ['with TLS, verified', 'require', true, secured(true)],
  ])('shows the remote address and the security (%s)', async (_, tls, trusted, shown) => {
    const end = await spoken(tls, trusted);
    expect(end).toMatchObject({ outcome: 'sent', peer: { remoteAddress: LOOPBACK, tls: shown } });
    expect(end).not.toHaveProperty('recipients');
  });

  it('shows the remote address even if the attempt failed', async () => {
    expect(await spoken('require', false)).toMatchObject({
      outcome: 'deferred',
      reason: { code: 'tls_failed' },
      peer: { remoteAddress: LOOPBACK, tls: null },
    });
    const server = await rawServer({ greeting: '554 go away' });
    const hop = hopAt(server.port);
    expect((await pool(hop).send(to('ada'), content(), notWithdrawn()))?.peer?.remoteAddress).toBe('127.0.0.1');
    await server.close();
    expect((await pool(hop).send(to('ada'), content(), notWithdrawn()))?.peer).toBeUndefined();
  });

  it('shows the reply to each recipient if there are copies', async () => {
    const server = await answeringServer();
    const end = await pool(hopAt(server.port)).send(to('ada', 'rcpt-550', 'bob'), content(), notWithdrawn());
    expect(end).toMatchObject({ outcome: 'sent' });
    expect(end!.recipients!.map(({ address, reply }) => [address, reply?.code, reply?.enhanced])).toEqual([
      ['ada@example.com', 250, null],
      ['rcpt-550@example.com', 550, '5.1.1'],
      ['bob@example.com', 250, null],
    ]);
  });

  it('shows no reply if the connection broke before', async () => {
    const server = await rawServer({ rcpt: 'cut' });
    const end = await pool(hopAt(server.port)).send(to('ada', 'bob'), content(), notWithdrawn());
    expect(end!.recipients).toEqual([
      { address: 'ada@example.com', reply: null },
      { address: 'bob@example.com', reply: null },
    ]);
  });
});

describe('TLS', () => {
  it('is used if offered, whatever the certificate', async () => {
    let secure: boolean | undefined;
    const server = await answeringServer({
      onMailFrom: (_address, session, done) => {
        secure = session.secure;
        done();
      },
    });
    await pool(hopAt(server.port, { tls: 'opportunistic' })).send(to('ada'), content(), notWithdrawn());
    expect(secure).toBe(true);
  });

  it('is skipped if it is optional and not offered', async () => {
    const server = await rawServer({});
    const end = await pool(hopAt(server.port, { tls: 'opportunistic' })).send(to('ada'), content(), notWithdrawn());
    expect(end).toMatchObject({ outcome: 'sent' });
  });

  it.each([
    ['from the first byte', true],
    ['by STARTTLS', false],
  ])('fails with an untrusted certificate if it is required (%s)', async (_, secure) => {
    const server = await answeringServer({ ...selfSigned(), secure });
    const hop = hopAt(server.port, { host: 'localhost', implicitTls: secure, tls: 'require' });
    const refused = await pool(hop).send(to('ada'), content(), notWithdrawn());
    expect(refused).toMatchObject({ outcome: 'deferred', reason: { code: 'tls_failed' } });
    expect(server.taken).toEqual([]);
  });

  it.each([
    ['from the first byte', true],
    ['by STARTTLS', false],
  ])('says whom a certificate names, if it is not the next hop (%s)', async (_, secure) => {
    const certificate = selfSigned({ host: 'mail.other.example' });
    const server = await answeringServer({ ...certificate, secure });
    const hop = hopAt(server.port, { host: 'localhost', implicitTls: secure, tls: 'require' });
    const refused = await pool(hop, { tls: { ca: certificate.cert } }).send(to('ada'), content(), notWithdrawn());
    const detail = expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID: its certificate is for mail.other.example');
    expect(refused).toMatchObject({ outcome: 'deferred', reason: { code: 'tls_failed', detail } });
  });

  it.each([
    ['from the first byte', true],
    ['by STARTTLS', false],
  ])('carries mail and credentials only to a verified host (%s)', async (_, secure) => {
    const certificate = selfSigned();
    const server = await answeringServer({
      ...certificate,
      secure,
      onAuth: ({ username, password }, _session, done) =>
        done(password === 'p ä ss' ? null : new Error('no'), { user: username }),
    });
    const auth = { user: 'shop', pass: 'p ä ss' };
    const hop = hopAt(server.port, { host: 'localhost', implicitTls: secure, tls: 'require', auth });
    const trusting = pool(hop, { tls: { ca: certificate.cert } });
    expect(await trusting.send(to('ada'), content(), notWithdrawn())).toMatchObject({ outcome: 'sent' });
    const elsewhere = pool({ ...hop, host: '127.0.0.1' }, { tls: { ca: certificate.cert } });
    expect(await elsewhere.send(to('bob'), content(), notWithdrawn())).toMatchObject({
      reason: { code: 'tls_failed' },
    });
    expect(server.taken).toHaveLength(1);
  });

  const OFFERED = '250-raw\r\n250 STARTTLS';
  const auth = { user: 'shop', pass: 'p' };

  it('is not replaced by plain text if it is required: no credentials or mail are sent', async () => {
    for (const [ehlo, startTls] of [['250 fine'], [OFFERED, '454 4.7.0 not now'], [OFFERED, '554 never']]) {
      const server = await rawServer({ ehlo, startTls });
      const end = await pool(hopAt(server.port, { tls: 'require', auth })).send(to('ada'), content(), notWithdrawn());
      expect(end).toMatchObject({ outcome: 'deferred', reason: { code: 'tls_failed' } });
      expect(server.commands.slice(1)).toEqual(startTls ? ['STARTTLS'] : []);
    }
  });

  it.each([
    ['the same connection if it is optional and refused', '454 4.7.0 not now', [1]],
    ['another connection if it is optional and cannot be negotiated', '220 go ahead\r\n250 fine', [1, 2]],
  ])('is skipped on %s', async (_, startTls, expected) => {
    const connections: number[] = [];
    const server = await rawServer((connection) => {
      connections.push(connection);
      return { ehlo: OFFERED, startTls };
    });
    const end = await pool(hopAt(server.port, { tls: 'opportunistic' })).send(to('ada'), content(), notWithdrawn());
    expect([end?.outcome, connections]).toEqual(['sent', expected]);
    expect(server.commands.filter((command) => command === 'STARTTLS')).toHaveLength(1);
  });

  it.each([
    ['in whole', '220 go ahead\r\n250-raw\r\n250 AUTH PLAIN'],
    ['in part', '220 go ahead\r\n250-raw\r\n250-AUTH PLAIN'],
  ])('is not trusted if data follows the reply to STARTTLS (%s)', async (_, startTls) => {
    const server = await rawServer({ ehlo: OFFERED, startTls });
    const end = await pool(hopAt(server.port, { tls: 'require', auth })).send(to('ada'), content(), notWithdrawn());
    expect(end).toMatchObject({
      outcome: 'deferred',
      reason: { code: 'tls_failed', detail: expect.stringContaining('out of turn') },
    });
    expect(server.commands.slice(1)).toEqual(['STARTTLS']);
  });

  it('is not trusted if plain text follows the reply to STARTTLS later', async () => {
    const said: string[] = [];
    const server = createServer((plain) => {
      afterwards(() => void plain.destroy());
      plain.write('220 raw\r\n');
      plain.on('data', (bytes) => {
        const [command] = bytes.toString('latin1').split(' ');
        said.push(command!.startsWith('\u0016') ? 'handshake' : command!.trim());
        plain.write(`${command === 'STARTTLS\r\n' ? '220 go ahead' : OFFERED}\r\n`);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    afterwards(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const end = await pool(hopAt(port, { tls: 'require', auth })).send(to('ada'), content(), notWithdrawn());
    expect(end).toMatchObject({ outcome: 'deferred', reason: { code: 'tls_failed' } });
    expect(said).toEqual(['EHLO', 'STARTTLS', 'handshake']);
  });

  it('is never skipped if it is implicit', async () => {
    const connections: number[] = [];
    const server = await rawServer((connection) => (connections.push(connection), {}));
    const hop = hopAt(server.port, { implicitTls: true, tls: 'opportunistic' });
    expect(await pool(hop).send(to('ada'), content(), notWithdrawn())).toMatchObject({
      reason: { code: 'tls_failed' },
    });
    expect([connections, server.commands]).toEqual([[1], []]);
  });

  it('reports the wrong mode: smtps:// to a plain port, or smtp:// to a TLS port', async () => {
    const plain = await rawServer({});
    const secure = await answeringServer({ ...selfSigned(), secure: true });
    const detail = async (port: number, implicitTls: boolean) => {
      const timeouts = { ...SMTP_DEFAULTS.timeouts, connect: 1_000, greeting: 0 };
      const smtp = pool(hopAt(port, { implicitTls, tls: 'require' }), { timeouts });
      return (await smtp.send(to('ada'), content(), notWithdrawn()))?.reason?.detail;
    };
    expect(await detail(plain.port, true)).toContain('smtp://');
    expect(await detail(secure.port, false)).toContain('smtps://');
    const tired = await rawServer({ greeting: 'cut' });
    expect(await detail(tired.port, false)).toContain('smtps://');
  });
});
