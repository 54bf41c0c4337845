import { createHmac } from 'node:crypto';
import { MailBody } from '../mime/mime.body';
import { AnsweringServer } from '../testing/answering.server';
import { afterwards } from '../testing/test.servers';
import { SmtpPool } from '../hop/hop.pool';
import { Withdrawal } from './smtp.withdrawal';

const notWithdrawn = new Withdrawal();
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
  const hop = {
    host: '127.0.0.1',
    port: server.port,
    implicitTls: false,
    tls: 'off' as const,
    auth: { user: 'ü', pass },
  };
  const pool = new SmtpPool(hop, Date.now);
  afterwards(() => pool.close());
  const envelope = { from: 'shop@example.com', to: ['ada@example.com'], main: 'ada@example.com' };
  return pool.send(envelope, MailBody.of(['Subject: a\r\n\r\na\r\n']), notWithdrawn);
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
