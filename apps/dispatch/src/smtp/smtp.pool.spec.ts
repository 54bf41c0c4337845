import type { NextHop } from '@lettermill/runtime';
import { MailBody } from '../mime/mime.body';
import { selfSigned } from '../testing/certificate';
import { RawServer, type Script } from '../testing/raw.server';
import { SmtpSink } from '../testing/smtp.sink';
import type { Envelope } from './smtp.envelope';
import { SMTP_DEFAULTS, type SmtpPoolOptions, type SmtpTimeouts } from './smtp.options';
import { SmtpPool } from './smtp.pool';

const hopAt = (port: number, over: Partial<NextHop> = {}): NextHop => ({
  host: '127.0.0.1',
  port,
  implicitTls: false,
  tls: 'off',
  auth: null,
  ...over,
});
const to = (...names: string[]): Envelope => ({
  from: 'shop@example.com',
  to: names.map((name) => `${name}@example.com`),
  main: `${names[0]}@example.com`,
});
const content = (text = 'Subject: a\r\n\r\nHello\r\n.dot\r\n'): MailBody => MailBody.of([text]);
const never = (): AbortSignal => new AbortController().signal;

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function pool(hop: NextHop, options: Partial<SmtpPoolOptions> = {}, now = Date.now): SmtpPool {
  const made = new SmtpPool(hop, now, options);
  closers.push(() => made.close());
  return made;
}
async function sink(options?: ConstructorParameters<typeof SmtpSink>[0]): Promise<SmtpSink> {
  const made = await new SmtpSink(options).listen();
  closers.push(() => made.close());
  return made;
}
async function raw(script: Script | ((connection: number) => Script)): Promise<RawServer> {
  const made = await new RawServer(typeof script === 'function' ? script : () => script).listen();
  closers.push(() => made.close());
  return made;
}
const timeouts = (over: Partial<SmtpTimeouts>): Partial<SmtpPoolOptions> => ({
  timeouts: { ...SMTP_DEFAULTS.timeouts, ...over },
});

describe('an attempt that fails', () => {
  it('defers when nobody listens, and rests', async () => {
    const server = await new SmtpSink().listen();
    const { port } = server;
    await server.close();
    let now = 0;
    const smtp = pool(hopAt(port), {}, () => now);
    expect(smtp.capacity()).toBe(1);
    const end = await smtp.send(to('ada'), content(), never());
    expect(end).toMatchObject({ outcome: 'deferred', reason: { code: 'next_hop_unavailable' }, reply: null });
    expect(smtp.capacity()).toBe(0);
    now = 1000;
    expect(smtp.capacity()).toBe(1);
    await smtp.send(to('ada'), content(), never());
    now = 2999;
    expect(smtp.capacity()).toBe(0);
    now = 3000;
    expect(smtp.capacity()).toBe(1);
  });

  it.each<[string, Script]>([
    ['at the greeting', { greeting: 'cut' }],
    ['at the greeting, with a word', { greeting: '554 go away' }],
    ['at MAIL', { mail: 'cut' }],
    ['at RCPT', { rcpt: 'cut' }],
    ['at DATA', { data: 'cut' }],
  ])('defers what breaks %s', async (_, script) => {
    const server = await raw(script);
    const end = await pool(hopAt(server.port)).send(to('ada'), content(), never());
    expect(end).toMatchObject({ outcome: 'deferred', reason: { code: 'next_hop_unavailable' }, hard: false });
    expect(server.contents).toEqual([]);
  });

  it('defers what breaks in the middle of the content', async () => {
    const server = await raw({ contentAfter: { bytes: 100_000, step: 'cut' } });
    const end = await pool(hopAt(server.port)).send(to('ada'), content('x\r\n'.repeat(20_000_000 / 3)), never());
    expect(end).toMatchObject({ outcome: 'deferred', reason: { code: 'next_hop_unavailable' } });
  });

  it('calls unknown what breaks after the final dot', async () => {
    const server = await raw({ dot: 'cut' });
    const end = await pool(hopAt(server.port)).send(to('ada'), content(), never());
    expect(end).toMatchObject({ outcome: 'unknown', reason: { code: 'uncertain' }, reply: null });
    expect(server.contents).toHaveLength(1);
  });

  it.each<[string, Script, Partial<SmtpTimeouts>, string]>([
    ['the greeting', { greeting: 'hang' }, { connect: 20, greeting: 30 }, 'deferred'],
    ['the envelope', { mail: 'hang' }, { command: 50 }, 'deferred'],
    ['the final dot', { dot: 'hang' }, { dot: 50 }, 'unknown'],
  ])('ends a wait for %s', async (_, script, times, outcome) => {
    const server = await raw(script);
    const end = await pool(hopAt(server.port), timeouts(times)).send(to('ada'), content(), never());
    expect(end).toMatchObject({ outcome });
  });

  it('takes 4xx after the dot as an answer, not as unknown', async () => {
    const server = await sink();
    const end = await pool(hopAt(server.port)).send(to('data-451'), content(), never());
    expect(end).toMatchObject({
      outcome: 'deferred',
      reply: { code: 451, enhanced: '4.2.0' },
      reason: { code: 'greylisted' },
    });
  });

  it('bounces 5xx, and says whether the address is to blame', async () => {
    const server = await sink();
    const smtp = pool(hopAt(server.port));
    const end = await smtp.send(to('rcpt-550'), content(), never());
    expect(end).toMatchObject({ outcome: 'bounced', hard: true, reason: { code: 'mailbox_unknown' } });
    expect(end!.reply).toEqual({ code: 550, enhanced: '5.1.1', text: 'User unknown' });
    expect(await smtp.send(to('ada'), content(), never())).toMatchObject({ outcome: 'sent' });
    expect(server.connections).toBe(1);
  });

  it('hears the answer to MAIL, not what follows from it', async () => {
    const server = await raw({
      mail: '552 5.3.4 Message size exceeds fixed limit',
      rcpt: '503 no MAIL',
      data: '503 no RCPT',
    });
    const end = await pool(hopAt(server.port)).send(to('ada'), content(), never());
    expect(end).toMatchObject({ outcome: 'bounced', reply: { code: 552 }, reason: { code: 'message_too_large' } });
  });

  it('does not take an early answer for the whole mail', async () => {
    const server = await raw({ contentAfter: { bytes: 1000, step: '250 taken' } });
    const end = await pool(hopAt(server.port)).send(to('ada'), content('x\r\n'.repeat(20_000_000 / 3)), never());
    expect(end).toMatchObject({ outcome: 'deferred' });
  });

  it('fails what the hop can not take, without a word', async () => {
    const server = await sink({ size: 1000, hideSMTPUTF8: true, hideSize: false });
    const smtp = pool(hopAt(server.port));
    const large = await smtp.send(to('ada'), content('x\r\n'.repeat(1000)), never());
    expect(large).toMatchObject({ outcome: 'failed', reason: { code: 'message_too_large' } });
    const utf8 = await smtp.send(to('jörg'), content(), never());
    expect(utf8).toMatchObject({ outcome: 'failed', reason: { code: 'smtputf8_unsupported' } });
    expect(server.taken).toEqual([]);
  });

  it('keeps credentials and TLS faults off the message', async () => {
    const server = await sink({ onAuth: (_auth, _session, done) => done(new Error('no')), allowInsecureAuth: true });
    const auth = { user: 'u', pass: 'p' };
    expect(await pool(hopAt(server.port, { auth })).send(to('ada'), content(), never())).toMatchObject({
      outcome: 'deferred',
      reason: { code: 'authentication_failed' },
    });
    expect(await pool(hopAt(server.port, { tls: 'require' })).send(to('ada'), content(), never())).toMatchObject({
      outcome: 'deferred',
      reason: { code: 'tls_failed' },
    });
    expect(server.taken).toEqual([]);
  });
});

describe('several recipients', () => {
  it('share one transaction; a refused copy is told of', async () => {
    const server = await sink();
    const end = await pool(hopAt(server.port)).send(to('ada', 'rcpt-550-copy', 'bob'), content(), never());
    expect(server.taken.map((mail) => mail.to)).toEqual([['ada@example.com', 'bob@example.com']]);
    expect(end).toMatchObject({ outcome: 'sent', detail: expect.stringContaining('rcpt-550-copy@example.com') });
  });

  it('bounce when the main one is refused for good; the copies go', async () => {
    const server = await sink();
    const end = await pool(hopAt(server.port)).send(to('rcpt-550', 'bob'), content(), never());
    expect(end).toMatchObject({ outcome: 'bounced', reply: { code: 550 } });
    expect(server.taken.map((mail) => mail.to)).toEqual([['bob@example.com']]);
  });

  it('all wait when the main one is refused for now', async () => {
    const server = await sink();
    const smtp = pool(hopAt(server.port));
    const mail = to('rcpt-450-once', 'bob');
    expect(await smtp.send(mail, content(), never())).toMatchObject({ outcome: 'deferred', reply: { code: 450 } });
    expect(server.taken).toEqual([]);
    expect(await smtp.send(mail, content(), never())).toMatchObject({ outcome: 'sent' });
    expect(server.taken.map(({ to: taken }) => taken)).toEqual([['rcpt-450-once@example.com', 'bob@example.com']]);
  });
});

describe('what goes over the wire', () => {
  it('is the mail to the byte, with A-labels in the envelope', async () => {
    const server = await raw({});
    const text = 'Subject: a\r\n\r\n.\r\n..two\r\n.one\r\nend';
    const envelope = { from: 'shop@bücher.example', to: ['ada@bücher.example'], main: 'ada@bücher.example' };
    expect(await pool(hopAt(server.port)).send(envelope, content(text), never())).toMatchObject({ outcome: 'sent' });
    expect(server.commands).toContain('MAIL FROM:<shop@xn--bcher-kva.example>');
    expect(server.commands).toContain('RCPT TO:<ada@xn--bcher-kva.example>');
    expect(server.contents).toEqual([text.replace(/^\./gm, '..')]);
  });

  it('has UTF-8 local parts where the hop takes them', async () => {
    const server = await sink();
    expect(await pool(hopAt(server.port)).send(to('jörg'), content(), never())).toMatchObject({ outcome: 'sent' });
  });
});

describe('what is told of the conversation', () => {
  const spoken = async (tls: NextHop['tls'], trusted: boolean) => {
    const certificate = selfSigned('localhost');
    const server = await sink({ ...certificate });
    const hop = hopAt(server.port, { host: 'localhost', tls });
    return pool(hop, trusted ? { tls: { ca: certificate.cert } } : {}).send(to('ada'), content(), never());
  };
  const LOOPBACK = expect.stringMatching(/^(127\.0\.0\.1|::1)$/);
  const secured = (verified: boolean) => ({
    protocol: 'TLSv1.3',
    cipher: expect.stringMatching(/^TLS_\w+$/),
    verified,
  });

  it.each<[string, NextHop['tls'], boolean, unknown]>([
    ['in the clear', 'off', false, null],
    ['by TLS with whomever', 'opportunistic', false, secured(false)],
    ['by TLS with the one that was meant', 'require', true, secured(true)],
  ])('is where it went, and how (%s)', async (_, tls, trusted, shown) => {
    const end = await spoken(tls, trusted);
    expect(end).toMatchObject({ outcome: 'sent', peer: { remoteAddress: LOOPBACK, tls: shown } });
    expect(end).not.toHaveProperty('recipients');
  });

  it('is where it went although nothing came of it', async () => {
    expect(await spoken('require', false)).toMatchObject({
      ...{ outcome: 'deferred', reason: { code: 'tls_failed' }, peer: { remoteAddress: LOOPBACK, tls: null } },
    });
    const server = await raw({ greeting: '554 go away' });
    const hop = hopAt(server.port);
    expect((await pool(hop).send(to('ada'), content(), never()))?.peer?.remoteAddress).toBe('127.0.0.1');
    await server.close();
    expect((await pool(hop).send(to('ada'), content(), never()))?.peer).toBeUndefined();
  });

  it('is each recipient’s answer where there are copies', async () => {
    const server = await sink();
    const end = await pool(hopAt(server.port)).send(to('ada', 'rcpt-550', 'bob'), content(), never());
    expect(end).toMatchObject({ outcome: 'sent' });
    expect(end!.recipients!.map(({ address, reply }) => [address, reply?.code, reply?.enhanced])).toEqual([
      ['ada@example.com', 250, null],
      ['rcpt-550@example.com', 550, '5.1.1'],
      ['bob@example.com', 250, null],
    ]);
  });

  it('is no answer where it broke before', async () => {
    const server = await raw({ rcpt: 'cut' });
    const end = await pool(hopAt(server.port)).send(to('ada', 'bob'), content(), never());
    expect(end!.recipients).toEqual([
      { address: 'ada@example.com', reply: null },
      { address: 'bob@example.com', reply: null },
    ]);
  });
});

describe('TLS', () => {
  it('is taken where offered, whosever the certificate', async () => {
    let secure: boolean | undefined;
    const server = await sink({
      onMailFrom: (_address, session, done) => {
        secure = session.secure;
        done();
      },
    });
    await pool(hopAt(server.port, { tls: 'opportunistic' })).send(to('ada'), content(), never());
    expect(secure).toBe(true);
  });

  it('is left out where it can not be had, if it is optional', async () => {
    const server = await raw({});
    const end = await pool(hopAt(server.port, { tls: 'opportunistic' })).send(to('ada'), content(), never());
    expect(end).toMatchObject({ outcome: 'sent' });
  });

  it.each([
    ['from the first byte', true],
    ['by STARTTLS', false],
  ])('is verified where it is required (%s)', async (_, secure) => {
    const server = await sink({ ...selfSigned('localhost'), secure });
    const hop = hopAt(server.port, { host: 'localhost', implicitTls: secure, tls: 'require' });
    const refused = await pool(hop).send(to('ada'), content(), never());
    expect(refused).toMatchObject({ outcome: 'deferred', reason: { code: 'tls_failed' } });
    expect(server.taken).toEqual([]);
  });

  it.each([
    ['from the first byte', true],
    ['by STARTTLS', false],
  ])('that can be verified carries mail and credentials (%s)', async (_, secure) => {
    const certificate = selfSigned('localhost');
    const server = await sink({
      ...certificate,
      secure,
      onAuth: ({ username, password }, _session, done) =>
        done(password === 'p ä ss' ? null : new Error('no'), { user: username }),
    });
    const auth = { user: 'shop', pass: 'p ä ss' };
    const hop = hopAt(server.port, { host: 'localhost', implicitTls: secure, tls: 'require', auth });
    const trusting = pool(hop, { tls: { ca: certificate.cert } });
    expect(await trusting.send(to('ada'), content(), never())).toMatchObject({ outcome: 'sent' });
    const elsewhere = pool({ ...hop, host: '127.0.0.1' }, { tls: { ca: certificate.cert } });
    expect(await elsewhere.send(to('bob'), content(), never())).toMatchObject({ reason: { code: 'tls_failed' } });
    expect(server.taken).toHaveLength(1);
  });
});

describe('connections', () => {
  it('are used again up to a number of messages, and at most so many stand at once', async () => {
    const server = await sink();
    const smtp = pool(hopAt(server.port), { maxConnections: 3, maxMessages: 5 });
    await smtp.send(to('first'), content(), never());
    expect(smtp.capacity()).toBe(3);
    const ends = await Promise.all(Array.from({ length: 29 }, (_, i) => smtp.send(to(`n${i}`), content(), never())));
    expect(ends.every((end) => end?.outcome === 'sent')).toBe(true);
    expect(server.mostAtOnce).toBeLessThanOrEqual(4);
    expect(server.connections).toBeGreaterThanOrEqual(6);
    expect(new Set(server.taken.map((mail) => mail.to[0])).size).toBe(30);
  });

  it('are few at first, and as many as are allowed after as many mails', async () => {
    const server = await sink();
    const smtp = pool(hopAt(server.port), { maxConnections: 20 });
    const some = (count: number) =>
      Promise.all(Array.from({ length: count }, () => smtp.send(to('n'), content(), never())));
    await some(1);
    expect(smtp.capacity()).toBe(3);
    await some(10);
    expect(smtp.capacity()).toBe(13);
    expect(server.mostAtOnce).toBeLessThan(14);
    await some(30);
    expect(smtp.state()).toMatchObject({ window: 20 });
    expect(server.mostAtOnce).toBeLessThanOrEqual(20);
  });

  it.each([
    ['451 4.7.500 Server busy', 5],
    ['421 4.3.2 Closing', 5],
    ['451 4.1.8 Sender domain does not resolve', 10],
    ['550 5.7.1 Not from you', 10],
  ])('are fewer where MAIL is answered by %s', async (laterMail, left) => {
    let busy = false;
    const server = await raw({ mail: () => (busy ? laterMail : undefined) });
    const smtp = pool(hopAt(server.port), { maxConnections: 10 });
    for (let i = 0; i < 10; i += 1) await smtp.send(to('n'), content(), never());
    expect(smtp.capacity()).toBe(10);
    busy = true;
    await Promise.all(Array.from({ length: 3 }, () => smtp.send(to('n'), content(), never())));
    // All gone, one finds out how it stands; how many may follow is the window.
    expect(smtp.state().window).toBe(left);
  });

  it('are as many as before where one recipient is refused for now', async () => {
    const server = await sink();
    const smtp = pool(hopAt(server.port), { maxConnections: 5 });
    for (let i = 0; i < 5; i += 1) await smtp.send(to('n'), content(), never());
    expect(await smtp.send(to('rcpt-450'), content(), never())).toMatchObject({ outcome: 'deferred' });
    expect(smtp.capacity()).toBe(5);
  });

  it('that are too many after the hop had enough are closed, and opened again when it has rested', async () => {
    let now = 0;
    let busy = false;
    const server = await raw({ mail: () => (busy ? '451 4.3.2 busy' : undefined) });
    const smtp = pool(hopAt(server.port), { maxConnections: 4 }, () => now);
    const some = (count: number) =>
      Promise.all(Array.from({ length: count }, () => smtp.send(to('n'), content(), never())));
    await some(5);
    await some(10);
    expect(smtp.state()).toMatchObject({ window: 4 });
    busy = true;
    now = 1;
    await some(4);
    expect(smtp.state()).toEqual({ open: 2, idle: 2, window: 2 });
    await some(4);
    expect(smtp.state().window).toBe(2);
    busy = false;
    now = 30_001;
    await some(5);
    expect(smtp.capacity()).toBe(4);
  });

  it('are used again up to an age', async () => {
    let now = 0;
    const server = await sink();
    const smtp = pool(hopAt(server.port), { maxAge: 1000 }, () => now);
    await smtp.send(to('ada'), content(), never());
    now = 999;
    await smtp.send(to('ada'), content(), never());
    now = 1000;
    await smtp.send(to('ada'), content(), never());
    expect(server.connections).toBe(1);
    expect(smtp.state().open).toBe(0);
    await smtp.send(to('ada'), content(), never());
    expect(server.connections).toBe(2);
  });

  it('close when idle', async () => {
    const server = await sink();
    const smtp = pool(hopAt(server.port), { idle: 20 });
    await smtp.send(to('ada'), content(), never());
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(smtp.capacity()).toBe(1);
    expect(await smtp.send(to('bob'), content(), never())).toMatchObject({ outcome: 'sent' });
    expect(server.connections).toBe(2);
  });

  it.each(['cut', '421 4.4.2 idle for too long'])(
    'cost no attempt when an idle one was closed (%s)',
    async (laterMail) => {
      const server = await raw({ laterMail });
      const smtp = pool(hopAt(server.port));
      for (const name of ['ada', 'bob', 'eve']) {
        expect(await smtp.send(to(name), content(), never())).toMatchObject({ outcome: 'sent' });
      }
      expect(server.contents).toHaveLength(3);
    },
  );

  it('that are fresh and told to go away defer', async () => {
    const server = await raw({ mail: '421 4.3.2 not now' });
    const end = await pool(hopAt(server.port)).send(to('ada'), content(), never());
    expect(end).toMatchObject({ outcome: 'deferred', reply: { code: 421 } });
    expect(server.commands.filter((command) => command.startsWith('MAIL'))).toHaveLength(1);
  });

  it('are not multiplied beyond what the hop allows: the message waits for one that stands', async () => {
    const server = await raw((connection) => (connection > 2 ? { greeting: '421 4.7.0 too many connections' } : {}));
    const smtp = pool(hopAt(server.port));
    await smtp.send(to('first'), content(), never());
    const ends = await Promise.all(Array.from({ length: 12 }, (_, i) => smtp.send(to(`n${i}`), content(), never())));
    expect(ends.map((end) => end?.outcome)).toEqual(Array(12).fill('sent'));
    expect(smtp.capacity()).toBe(2);
  });

  it('tell of room when the first stands', async () => {
    const server = await sink();
    const smtp = pool(hopAt(server.port));
    const room = jest.fn();
    smtp.onRoom(room);
    await smtp.send(to('ada'), content(), never());
    expect(room).toHaveBeenCalledTimes(1);
  });
});

describe('giving up', () => {
  it.each<[string, Script]>([
    ['at the greeting', { greeting: 'hang' }],
    ['in the envelope', { mail: 'hang' }],
    ['at DATA', { data: 'hang' }],
  ])('before the content is no attempt (%s)', async (_, script) => {
    const server = await raw(script);
    const giveUp = new AbortController();
    const sending = pool(hopAt(server.port)).send(to('ada'), content(), giveUp.signal);
    setTimeout(() => giveUp.abort(), 30);
    expect(await sending).toBeUndefined();
  });

  it('is too late once the mail was handed over: the answer is waited for', async () => {
    const giveUp = new AbortController();
    const server = await sink({
      onData: (stream, _session, done) => {
        stream.resume();
        stream.on('end', () => {
          giveUp.abort();
          setTimeout(done, 30);
        });
      },
    });
    const sending = pool(hopAt(server.port)).send(to('ada'), content(), giveUp.signal);
    expect(await sending).toMatchObject({ outcome: 'sent' });
  });

  it('by closing the pool makes unknown what was handed over', async () => {
    const server = await raw({ dot: 'hang' });
    const smtp = pool(hopAt(server.port));
    const sending = smtp.send(to('ada'), content(), never());
    while (server.contents.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    smtp.close();
    expect(await sending).toMatchObject({ outcome: 'unknown' });
  });
});
