import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NextHop } from '@lettermill/config';
import { composeMail } from '../../apps/dispatch/src/mime/mime.composer';
import { MailBody } from '../../apps/dispatch/src/mime/mime.body';
import { SmtpPool } from '../../apps/dispatch/src/hop/hop.pool';
import { Withdrawal } from '../../apps/dispatch/src/smtp/smtp.withdrawal';
import { bytesOf } from '../../apps/dispatch/src/testing/mail.bytes';
import { CORPUS } from '../../apps/dispatch/src/testing/mime.corpus';
import { AnsweringServer } from '../../apps/dispatch/src/testing/answering.server';
import { selfSigned } from '../attachments/self.signed';
import { Lettermill, waitFor } from '../installations/lettermill';
import { PASSWORD, Postfix, USER } from './postfix';

/** Directory of further mails, one per file, that must pass through unchanged. */
const { INTEROP_MAILS } = process.env;

const PLAIN_HOP: Omit<NextHop, 'port'> = { host: '127.0.0.1', implicitTls: false, tls: 'off', auth: null };
const AUTH = { user: USER, pass: PASSWORD };

function corpusMails(): [string, MailBody, Buffer][] {
  const composed = CORPUS.map((mail, index): [string, MailBody, Buffer] => {
    const body = composeMail(mail);
    return [`mail ${index} of the corpus`, body, bytesOf(body)];
  });
  const files = INTEROP_MAILS ? readdirSync(INTEROP_MAILS).filter((name) => /\.(eml|txt)$/.test(name)) : [];
  const found = files.map((name): [string, MailBody, Buffer] => {
    // A mail in transit: lines end with CR LF, and the line that an mbox file puts on top is not part of it.
    const raw = readFileSync(join(INTEROP_MAILS!, name), 'latin1')
      .replace(/^From [^\n]*\n/, '')
      .replace(/\r?\n|\r/g, '\r\n');
    const bytes = Buffer.from(raw.endsWith('\r\n') ? raw : `${raw}\r\n`, 'latin1');
    return [
      name,
      MailBody.of(
        [bytes],
        bytes.some((byte) => byte > 127),
      ),
      bytes,
    ];
  });
  return [...composed, ...found];
}

/** The mail without `Received`, the field that every server on the way puts on top. */
function withoutTrace(raw: Buffer): Buffer {
  const text = raw.toString('latin1');
  return Buffer.from(text.replace(/^Received: [^\r\n]*(\r\n[ \t][^\r\n]*)*\r\n/, ''), 'latin1');
}

async function send(pool: SmtpPool, address: string, body: MailBody) {
  const envelope = { from: 'shop@example.com', to: [address], main: address };
  const content = { size: body.size, eightBit: body.eightBit, chunks: () => body.chunks() };
  return pool.send(envelope, content, new Withdrawal());
}

describe('Postfix', () => {
  let sink: AnsweringServer;
  let open: Postfix;
  let guarded: Postfix;

  beforeAll(async () => {
    if (!Postfix.installed()) throw new Error('apt-get install postfix sasl2-bin libsasl2-modules, and run as root');
    sink = await new AnsweringServer({ disabledCommands: ['STARTTLS', 'AUTH'] }).listen();
    open = await Postfix.start(sink.port);
    guarded = await Postfix.start(sink.port, true);
  }, 60_000);
  afterAll(async () => {
    open?.stop();
    guarded?.stop();
    await sink?.close();
  });

  const waitForMail = (address: string) =>
    waitFor(() => sink.taken.find(({ to }) => to.includes(address)), `the mail to ${address}`, 60_000);

  it('takes every mail of the corpus and hands it on byte for byte', async () => {
    const pool = new SmtpPool({ ...PLAIN_HOP, port: open.port }, Date.now);
    const differs: string[] = [];
    try {
      for (const [index, [name, body, bytes]] of corpusMails().entries()) {
        const address = `corpus-${index}@example.com`;
        const end = await send(pool, address, body);
        if (end?.outcome !== 'sent') differs.push(`${name}: ${JSON.stringify(end)}`);
        else if (!withoutTrace((await waitForMail(address)).raw).equals(bytes)) differs.push(`${name}: other bytes`);
      }
    } finally {
      pool.close();
    }
    expect(differs).toEqual([]);
  }, 600_000);

  it.each<[string, (one: { open: Postfix; guarded: Postfix }) => NextHop, RegExp]>([
    [
      'STARTTLS where offered, not judged',
      ({ open: { port } }) => ({ ...PLAIN_HOP, port, tls: 'opportunistic' }),
      /TLSv1/,
    ],
    ['STARTTLS, verified', ({ open: { port } }) => ({ ...PLAIN_HOP, port, tls: 'require' }), /TLSv1/],
    [
      'smtps, verified',
      ({ open: { tlsPort } }) => ({ ...PLAIN_HOP, port: tlsPort, implicitTls: true, tls: 'require' }),
      /TLSv1/,
    ],
    [
      'STARTTLS and a password',
      ({ guarded: { port } }) => ({ ...PLAIN_HOP, port, tls: 'require', auth: AUTH }),
      /ESMTPSA/,
    ],
    [
      'smtps and a password',
      ({ guarded: { tlsPort } }) => ({ ...PLAIN_HOP, port: tlsPort, implicitTls: true, tls: 'require', auth: AUTH }),
      /ESMTPSA/,
    ],
  ])('gets mail by %s', async (name, hopOf, trace) => {
    const hop = hopOf({ open, guarded });
    const tls = { ca: [open.ca, guarded.ca] };
    const pool = new SmtpPool(hop, Date.now, { tls: hop.tls === 'opportunistic' ? {} : tls });
    const address = `${name.replace(/\W+/g, '.').toLowerCase()}@example.com`;
    const end = await send(pool, address, composeMail(CORPUS[0]!)).finally(() => pool.close());
    expect(end).toMatchObject({ outcome: 'sent', reply: { code: 250 } });
    const { raw } = await waitForMail(address);
    expect(raw.toString('latin1')).toMatch(trace);
    expect(withoutTrace(raw).equals(bytesOf(composeMail(CORPUS[0]!)))).toBe(true);
  });

  it.each<[string, (one: Postfix) => NextHop, string]>([
    ['a certificate that nobody vouches for', ({ port }) => ({ ...PLAIN_HOP, port, tls: 'require' }), 'tls_failed'],
    ['no password', ({ port }) => ({ ...PLAIN_HOP, port, tls: 'opportunistic' }), ''],
  ])('gets no mail with %s', async (_, hopOf, code) => {
    const pool = new SmtpPool(hopOf(guarded), Date.now);
    const end = await send(pool, 'nobody@example.com', composeMail(CORPUS[0]!)).finally(() => pool.close());
    expect(end!.outcome).not.toBe('sent');
    if (code) expect(end!.reason!.code).toBe(code);
    expect(sink.taken.some(({ to }) => to.includes('nobody@example.com'))).toBe(false);
  });

  it('gets no mail with a wrong password', async () => {
    const hop: NextHop = { ...PLAIN_HOP, port: guarded.port, tls: 'require', auth: { user: USER, pass: 'wrong' } };
    const pool = new SmtpPool(hop, Date.now, { tls: { ca: guarded.ca } });
    const end = await send(pool, 'nobody@example.com', composeMail(CORPUS[0]!)).finally(() => pool.close());
    expect(end).toMatchObject({ outcome: 'deferred', reason: { code: 'authentication_failed' } });
  });

  it('is the next hop of the whole product, by SMTP_URL', async () => {
    const [user, pass] = [USER, PASSWORD].map(encodeURIComponent);
    const lettermill = await Lettermill.start({
      SMTP_URL: `smtp://${user}:${pass}@127.0.0.1:${guarded.port}`,
      NODE_EXTRA_CA_CERTS: guarded.caFile,
    });
    try {
      await lettermill.launch('order');
      const { body } = await lettermill.send({ campaign: 'order', to: 'whole@example.com' });
      await lettermill.until(body.messages[0]!.message_id, 'sent');
      expect((await waitForMail('whole@example.com')).raw.toString()).toContain('ESMTPSA');
    } finally {
      await lettermill.destroy();
    }
  }, 60_000);
});

describe('smtp-server', () => {
  let directory: string;
  beforeAll(() => void (directory = mkdtempSync(join(tmpdir(), 'lettermill-interop-'))));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it.each<[string, Partial<NextHop>, boolean]>([
    ['STARTTLS', { tls: 'require', auth: AUTH }, false],
    ['smtps', { implicitTls: true, tls: 'require', auth: AUTH }, true],
  ])(
    'takes every mail of the corpus byte for byte, by %s and a password',
    async (_, how, secure) => {
      const { key, cert } = selfSigned(directory);
      const sink = await new AnsweringServer({
        secure,
        key,
        cert,
        authOptional: false,
        authMethods: ['PLAIN', 'LOGIN'],
        onAuth: ({ username, password }, _session, done) =>
          username === USER && password === PASSWORD ? done(null, { user: USER }) : done(new Error('no')),
      }).listen();
      const pool = new SmtpPool({ ...PLAIN_HOP, port: sink.port, ...how }, Date.now, { tls: { ca: cert } });
      const differs: string[] = [];
      for (const [name, body, bytes] of corpusMails()) {
        const end = await send(pool, 'ada@example.com', body);
        if (end?.outcome !== 'sent') differs.push(`${name}: ${JSON.stringify(end)}`);
        else if (!sink.taken.at(-1)!.raw.equals(bytes)) differs.push(`${name}: other bytes`);
      }
      pool.close();
      await sink.close();
      expect(differs).toEqual([]);
    },
    300_000,
  );
});
