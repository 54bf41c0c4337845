import { createHmac } from 'node:crypto';
import { content } from '../testing/pooled';
import { AnsweringServer } from '../testing/answering.server';
import { RawServer } from '../testing/raw.server';
import { afterwards } from '../testing/test.servers';
import { SmtpPool } from '../hop/hop.pool';
import { openSession } from './smtp.opening';
import { SMTP_DEFAULTS } from './smtp.options';
import { Withdrawal } from './smtp.withdrawal';

const notWithdrawn = new Withdrawal();
const hopAt = (port: number) => ({ host: '127.0.0.1', port, implicitTls: false, tls: 'off' as const });

async function attempt(authMethods: string[], pass: string): Promise<unknown> {
  const server = await new AnsweringServer({
    authMethods,
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: (auth, _session, done) => {
      const digest = (secret: string) =>
        createHmac('md5', secret)
          .update(auth.challenge ?? '')
          .digest('hex');
      const fine = auth.method === 'CRAM-MD5' ? auth.challengeResponse === digest('s e ü') : auth.password === 's e ü';
      done(fine ? null : new Error('no'), { user: auth.username });
    },
  }).listen();
  afterwards(() => server.close());
  const pool = new SmtpPool({ ...hopAt(server.port), auth: { user: 'ü', pass } }, Date.now);
  afterwards(() => pool.close());
  const envelope = { from: 'shop@example.com', to: ['ada@example.com'], main: 'ada@example.com' };
  return pool.send(envelope, content('Subject: a\r\n\r\na\r\n'), notWithdrawn);
}

describe.each([['PLAIN'], ['LOGIN'], ['CRAM-MD5']])('authentication with %s', (method) => {
  it('reports a refused login, and sends mail after an accepted one', async () => {
    expect(await attempt([method], 'wrong')).toMatchObject({
      outcome: 'deferred',
      reason: { code: 'authentication_failed' },
      reply: { code: 535 },
    });
    expect(await attempt([method], 's e ü')).toMatchObject({ outcome: 'sent' });
  });
});

it('of a hop that takes no login without TLS does not say that the password is wrong', async () => {
  const server = await new AnsweringServer({ authMethods: ['PLAIN'], authOptional: false }).listen();
  afterwards(() => server.close());

  const attempt = openSession({ ...hopAt(server.port), auth: { user: 'u', pass: 'p' } }, SMTP_DEFAULTS);

  await expect(attempt).rejects.toMatchObject({ reason: 'tls_failed', reply: { code: 538 } });
});

describe('a hop that offers no login that we know', () => {
  const only = 'it offers only XOAUTH2, OAUTHBEARER, and Lettermill knows PLAIN, LOGIN and CRAM-MD5';

  it.each([
    ['tokens', '250-raw\r\n250-AUTH XOAUTH2 OAUTHBEARER x@example.com\r\n250 SIZE', only],
    ['nothing', '250-raw\r\n250 SIZE', 'it offers no login'],
  ])('hears no password if it offers %s, and the fault says what it offers', async (_what, ehlo, said) => {
    const server = await new RawServer(() => ({ ehlo })).listen();
    afterwards(() => server.close());

    const attempt = openSession({ ...hopAt(server.port), auth: { user: 'u', pass: 'p' } }, SMTP_DEFAULTS);

    await expect(attempt).rejects.toMatchObject({
      reason: 'authentication_failed',
      message: `The next hop takes no password (${said}).`,
      reply: null,
    });
    expect(server.commands.map((line) => line.split(' ')[0])).toEqual(['EHLO']);
  });
});
