import { answeringServer, rawServer } from '../testing/test.servers';
import { selfSigned } from '../testing/certificate';
import { hopAt } from '../testing/pooled';
import { checkHop } from './hop.check';

describe('checkHop', () => {
  it('reports how the hop was reached and what it supports, and sends nothing', async () => {
    const certificate = selfSigned();
    const server = await answeringServer({
      ...certificate,
      size: 1000,
      hideSize: false,
      onAuth: (_auth, _session, done) => done(null, { user: 'u' }),
    });
    const hop = hopAt(server.port, {
      host: 'localhost',
      tls: 'require',
      auth: { user: 'shop@example.com', pass: 'geheim' },
    });
    const { takes, text } = await checkHop(hop, Date.now, { tls: { ca: certificate.cert } });
    expect(takes).toBe(true);
    expect(text).toMatch(
      /^localhost:\d+ \((127\.0\.0\.1|::1)\) is ready to take mail from us\.\nTLS +TLSv1\.3, verified\n/,
    );
    expect(text).toMatch(
      /\nlogin +shop@example\.com\ntakes +mails of 1000 bytes at most, PIPELINING, 8BITMIME, SMTPUTF8\n/,
    );
    expect(text).not.toContain('geheim');
    expect(server.taken).toEqual([]);
  });

  it('accepts a hop that offers no extensions', async () => {
    const server = await rawServer({});
    const { takes, text } = await checkHop(hopAt(server.port), Date.now);
    expect(takes).toBe(true);
    expect(text).toMatch(/\nTLS +none\nlogin +none\ntakes +mails of any size\nNo mail was sent\.\n$/);
    expect(server.commands.filter((command) => command.startsWith('MAIL'))).toEqual([]);
  });

  it('reports why the hop takes no mail, its reply, and what to do', async () => {
    const server = await answeringServer({
      onAuth: (_auth, _session, done) => done(Object.assign(new Error('5.7.8 Not accepted'), { responseCode: 535 })),
      allowInsecureAuth: true,
    });
    const { takes, text } = await checkHop(hopAt(server.port, { auth: { user: 'u', pass: 'geheim' } }), Date.now);
    expect(takes).toBe(false);
    expect(text).toMatch(
      /takes no mail from us\. The next hop refused our credentials\.\nIt said: 535 5\.7\.8 Not accepted\n.*SMTP_URL\. If the hop logs in by tokens.*\n$/,
    );
    expect(text).not.toContain('geheim');
  });

  it('names the variable that makes an authority of its own trusted', async () => {
    const server = await answeringServer({ ...selfSigned() });
    const auth = { user: 'u', pass: 'geheim' };
    const { takes, text } = await checkHop(hopAt(server.port, { tls: 'require', auth }), Date.now);
    expect(takes).toBe(false);
    expect(text).toMatch(/^127\.0\.0\.1:\d+ takes no mail from us\. .*SELF_SIGNED.*\n.*NODE_EXTRA_CA_CERTS/);
    // A password never goes to an unverified server, whatever tls is.
    expect(text).not.toMatch(/, or set tls/);
  });

  it('reports a hop that cannot be reached', async () => {
    const server = await rawServer({});
    const { port } = server;
    await server.close();
    const { takes, text } = await checkHop(hopAt(port), Date.now);
    expect(takes).toBe(false);
    expect(text).toMatch(/cannot be reached \(ECONNREFUSED\)/);
    // Only senders try again; the check asks once.
    expect(text).not.toMatch(/(?:it|the mail) is tried again/i);
  });
});
