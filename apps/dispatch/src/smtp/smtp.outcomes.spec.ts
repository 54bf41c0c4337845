import { rawServer, answeringServer } from '../testing/test.servers';
import { content, hopAt, notWithdrawn, pool, to } from '../testing/pooled';
import type { Script } from '../testing/raw.server';
import { AnsweringServer } from '../testing/answering.server';
import { SMTP_DEFAULTS, type SmtpPoolOptions, type SmtpTimeouts } from './smtp.options';

const timeouts = (over: Partial<SmtpTimeouts>): Partial<SmtpPoolOptions> => ({
  timeouts: { ...SMTP_DEFAULTS.timeouts, ...over },
});

it('an attempt waits at least as long as RFC 5321 (4.5.3.2) demands, and for each address of the hop as documented', () => {
  const { greeting, command, used, block, dot, ...connecting } = SMTP_DEFAULTS.timeouts;
  const minutes = [greeting, command, block, dot].map((ms) => ms / 60_000);
  [5, 5, 3, 10].forEach((demanded, step) => expect(minutes[step]).toBeGreaterThanOrEqual(demanded));
  expect(connecting).toEqual({ connect: 30_000, address: 2_500 });
  // This ends no attempt, it looks for another connection.
  expect(used).toBe(60_000);
});

describe('an attempt that fails', () => {
  it('is deferred if nobody listens, and the hop rests', async () => {
    const server = await new AnsweringServer().listen();
    const { port } = server;
    await server.close();
    let now = 0;
    const smtp = pool(hopAt(port), {}, () => now);
    expect(smtp.capacity()).toBe(1);
    const end = await smtp.send(to('ada'), content(), notWithdrawn());
    expect(end).toMatchObject({ outcome: 'deferred', reason: { code: 'next_hop_unavailable' }, reply: null });
    expect(smtp.capacity()).toBe(0);
    now = 1000;
    expect(smtp.capacity()).toBe(1);
    await smtp.send(to('ada'), content(), notWithdrawn());
    now = 2999;
    expect(smtp.capacity()).toBe(0);
    now = 3000;
    expect(smtp.capacity()).toBe(1);
  });

  it.each<[string, Script]>([
    ['at the greeting', { greeting: 'cut' }],
    ['at the greeting, with a refusal', { greeting: '554 go away' }],
    ['at MAIL', { mail: 'cut' }],
    ['at RCPT', { rcpt: 'cut' }],
    ['at DATA', { data: 'cut' }],
  ])('is deferred if the connection breaks %s', async (_, script) => {
    const server = await rawServer(script);
    const end = await pool(hopAt(server.port)).send(to('ada'), content(), notWithdrawn());
    expect(end).toMatchObject({ outcome: 'deferred', reason: { code: 'next_hop_unavailable' }, hard: false });
    expect(server.contents).toEqual([]);
  });

  it('is deferred if the connection breaks in the middle of the content', async () => {
    const server = await rawServer({ contentAfter: { bytes: 100_000, step: 'cut' } });
    const end = await pool(hopAt(server.port)).send(to('ada'), content('x\r\n'.repeat(20_000_000 / 3)), notWithdrawn());
    expect(end).toMatchObject({ outcome: 'deferred', reason: { code: 'next_hop_unavailable' } });
  });

  it('is unknown if the connection breaks after the final dot', async () => {
    const server = await rawServer({ dot: 'cut' });
    const end = await pool(hopAt(server.port)).send(to('ada'), content(), notWithdrawn());
    expect(end).toMatchObject({ outcome: 'unknown', hard: false, reason: { code: 'uncertain' }, reply: null });
    expect(server.contents).toHaveLength(1);
  });

  it.each<[string, Script, Partial<SmtpTimeouts>, string]>([
    ['the greeting', { greeting: 'hang' }, { connect: 20, greeting: 30 }, 'deferred'],
    ['the envelope', { mail: 'hang' }, { command: 50 }, 'deferred'],
    ['the final dot', { dot: 'hang' }, { dot: 50 }, 'unknown'],
  ])('ends a wait for %s after its timeout', async (_, script, times, outcome) => {
    const server = await rawServer(script);
    const end = await pool(hopAt(server.port), timeouts(times)).send(to('ada'), content(), notWithdrawn());
    expect(end).toMatchObject({ outcome });
    expect(end?.reason?.detail).toMatch(/took too long([;)]|.* closed (before|after) the mail was handed over)/);
  });

  it('is deferred, not unknown, after a 4xx reply to the final dot', async () => {
    const server = await answeringServer();
    const end = await pool(hopAt(server.port)).send(to('data-451'), content(), notWithdrawn());
    expect(end).toMatchObject({
      outcome: 'deferred',
      reply: { code: 451, enhanced: '4.2.0' },
      reason: { code: 'greylisted' },
    });
  });

  it('bounces on 5xx, and is hard if the address is to blame', async () => {
    const server = await answeringServer();
    const smtp = pool(hopAt(server.port));
    const end = await smtp.send(to('rcpt-550'), content(), notWithdrawn());
    expect(end).toMatchObject({ outcome: 'bounced', hard: true, reason: { code: 'mailbox_unknown' } });
    expect(end!.reply).toEqual({ code: 550, enhanced: '5.1.1', text: 'User unknown' });
    expect(await smtp.send(to('ada'), content(), notWithdrawn())).toMatchObject({ outcome: 'sent' });
    expect(server.connections).toBe(1);
  });

  it('bounces if the hop refuses the recipient and then hangs up, on a connection that was used before, too', async () => {
    const answers = [undefined, '550 5.1.1 no such user', 'cut'];
    const server = await rawServer({ ehlo: '250-raw\r\n250 PIPELINING', rcpt: () => answers.shift() });
    const smtp = pool(hopAt(server.port));
    expect(await smtp.send(to('eve'), content(), notWithdrawn())).toMatchObject({ outcome: 'sent' });
    const end = await smtp.send(to('ada', 'bob'), content(), notWithdrawn());
    expect(end).toMatchObject({ outcome: 'bounced', reason: { code: 'mailbox_unknown' }, hard: true });
    expect(server.commands.filter((command) => command.startsWith('MAIL'))).toHaveLength(2);
  });

  it('is not hard if a filter may have replied, unless the enhanced code blames the address', async () => {
    const hard = async (steps: Parameters<typeof rawServer>[0]) =>
      (await pool(hopAt((await rawServer(steps)).port)).send(to('ada'), content(), notWithdrawn()))!.hard;
    expect(await hard({ dot: '550 Unknown user' })).toBe(false);
    expect(await hard({ data: '550 User unknown' })).toBe(false);
    expect(await hard({ mail: '550 5.1.1 no such user' })).toBe(false);
    expect(await hard({ dot: '550 5.1.1 This message looks like spam and was not delivered' })).toBe(false);
    expect(await hard({ dot: '550 5.1.1 no such user' })).toBe(true);
    expect(await hard({ rcpt: '550 Unknown user' })).toBe(true);
  });

  it('has the reply to MAIL, not those that follow from it', async () => {
    const server = await rawServer({
      mail: '552 5.3.4 Message size exceeds fixed limit',
      rcpt: '503 no MAIL',
      data: '503 no RCPT',
    });
    const end = await pool(hopAt(server.port)).send(to('ada'), content(), notWithdrawn());
    expect(end).toMatchObject({ outcome: 'bounced', reply: { code: 552 }, reason: { code: 'message_too_large' } });
  });

  it.each<[string, Script]>([
    ['hangs up', { rcpt: 'cut' }],
    ['hangs up with a 421', { rcpt: '421 4.7.0 closing' }],
    ['ignores the rest of the envelope', { rcpt: 'hang' }],
  ])('has the reply to MAIL if the hop %s after it', async (_, script) => {
    const server = await rawServer({ ehlo: '250-raw\r\n250 PIPELINING', mail: '550 5.7.1 blocked', ...script });
    const smtp = pool(hopAt(server.port), timeouts({ command: 200 }));
    const end = await smtp.send(to('ada', 'bob'), content(), notWithdrawn());
    expect(end).toMatchObject({ outcome: 'bounced', reply: { code: 550 }, reason: { code: 'policy_refused' } });
    expect(end!.copies).toMatchObject([{ address: 'bob@example.com', outcome: 'bounced' }]);
  });

  it.each(['250 taken', 'neither yes nor no'])(
    'is deferred if the hop replies before it has the whole mail: %s',
    async (step) => {
      const server = await rawServer({ contentAfter: { bytes: 1000, step } });
      const end = await pool(hopAt(server.port)).send(
        to('ada'),
        content('x\r\n'.repeat(20_000_000 / 3)),
        notWithdrawn(),
      );
      expect(end).toMatchObject({ outcome: 'deferred', detail: 'The next hop answered before it had the whole mail.' });
    },
  );

  it('is not failed by a limit of size that the mail just keeps', async () => {
    const server = await answeringServer({ size: 1000, hideSize: false });
    const end = await pool(hopAt(server.port)).send(to('ada'), content('x'.repeat(998) + '\r\n'), notWithdrawn());
    expect(end).toMatchObject({ outcome: 'sent' });
  });

  it('is not failed by «SIZE 0», which says that there is no limit (RFC 1870)', async () => {
    const server = await rawServer({ ehlo: '250-raw\r\n250 SIZE 0' });
    expect(await pool(hopAt(server.port)).send(to('ada'), content(), notWithdrawn())).toMatchObject({
      outcome: 'sent',
    });
  });

  it('fails without a word to the hop if the hop cannot take the mail', async () => {
    const server = await answeringServer({ size: 1000, hideSMTPUTF8: true, hideSize: false });
    const smtp = pool(hopAt(server.port));
    const large = await smtp.send(to('ada'), content('x\r\n'.repeat(1000)), notWithdrawn());
    expect(large).toMatchObject({ outcome: 'failed', reason: { code: 'message_too_large' } });
    const utf8 = await smtp.send(to('jörg'), content(), notWithdrawn());
    expect(utf8).toMatchObject({ outcome: 'failed', reason: { code: 'smtputf8_unsupported' } });
    // A Reply-To address has a local part that is not ASCII.
    const header = await smtp.send(to('ada'), content('Reply-To: jörg@x.org\r\n\r\nHello\r\n'), notWithdrawn());
    expect(header).toMatchObject({ outcome: 'failed', reason: { code: 'smtputf8_unsupported' } });
    expect(server.taken).toEqual([]);
  });

  it('blames the hop, not the password, if login is temporarily impossible', async () => {
    const auth = { user: 'u', pass: 'p' };
    for (const responseCode of [454, 421]) {
      const server = await answeringServer({
        onAuth: (_auth, _session, done) => done(Object.assign(new Error('4.7.0 later'), { responseCode })),
        allowInsecureAuth: true,
      });
      expect(await pool(hopAt(server.port, { auth })).send(to('ada'), content(), notWithdrawn())).toMatchObject({
        outcome: 'deferred',
        reply: { code: responseCode },
        reason: { code: 'next_hop_unavailable', detail: expect.stringContaining('logins') },
      });
    }
  });

  it('is deferred on login and TLS faults, without blaming the message', async () => {
    const server = await answeringServer({
      onAuth: (_auth, _session, done) => done(new Error('no')),
      allowInsecureAuth: true,
    });
    const auth = { user: 'u', pass: 'p' };
    expect(await pool(hopAt(server.port, { auth })).send(to('ada'), content(), notWithdrawn())).toMatchObject({
      outcome: 'deferred',
      reason: { code: 'authentication_failed' },
    });
    expect(await pool(hopAt(server.port, { tls: 'require' })).send(to('ada'), content(), notWithdrawn())).toMatchObject(
      {
        outcome: 'deferred',
        reason: { code: 'tls_failed' },
      },
    );
    expect(server.taken).toEqual([]);
  });
});

describe('the mail sent to the hop', () => {
  it('is unchanged, with A-labels in the envelope', async () => {
    const server = await rawServer({});
    const text = 'Subject: a\r\n\r\n.\r\n..two\r\n.one\r\nend';
    const envelope = { from: 'shop@bücher.example', to: ['ada@bücher.example'], main: 'ada@bücher.example' };
    expect(await pool(hopAt(server.port)).send(envelope, content(text), notWithdrawn())).toMatchObject({
      outcome: 'sent',
    });
    expect(server.commands).toContain('MAIL FROM:<shop@xn--bcher-kva.example>');
    expect(server.commands).toContain('RCPT TO:<ada@xn--bcher-kva.example>');
    expect(server.contents).toEqual([text.replace(/^\./gm, '..')]);
  });

  it('is sent whole, and once, if the socket takes it only piece by piece', async () => {
    const server = await rawServer({});
    const smtp = pool(hopAt(server.port));
    const large = `Subject: a\r\n\r\n${'Hello\r\n'.repeat(40_000)}`;
    for (const text of [large, 'Subject: b\r\n\r\nHello\r\n']) {
      expect(await smtp.send(to('ada'), content(text), notWithdrawn())).toMatchObject({ outcome: 'sent' });
    }
    expect(server.contents.map(({ length }) => length)).toEqual([large.length - 2, 19]);
    const words = server.commands.map((command) => command.slice(0, 4));
    expect(words.join(' ')).toBe('EHLO MAIL RCPT DATA MAIL RCPT DATA');
  });

  it.each([
    ['its address', 'jörg', 'Hello', ' SMTPUTF8 BODY=8BITMIME'],
    ['its content', 'ada', 'Grüße', ' SMTPUTF8 BODY=8BITMIME'],
    ['nothing', 'ada', 'Hello', ''],
  ])('is announced as UTF-8 if %s is', async (_, name, text, parameters) => {
    const server = await rawServer({ ehlo: '250-raw\r\n250-8BITMIME\r\n250 SMTPUTF8' });
    await pool(hopAt(server.port)).send(to(name), content(`Subject: a\r\n\r\n${text}\r\n`), notWithdrawn());
    expect(server.commands[1]).toBe(`MAIL FROM:<shop@example.com>${parameters}`);
  });

  it('may have UTF-8 local parts if the hop supports them', async () => {
    const server = await answeringServer();
    expect(await pool(hopAt(server.port)).send(to('jörg'), content(), notWithdrawn())).toMatchObject({
      outcome: 'sent',
    });
  });
});
