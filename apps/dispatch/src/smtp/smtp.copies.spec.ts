import { rawServer, answeringServer } from '../testing/test.servers';
import { content, hopAt, notWithdrawn, pool, to } from '../testing/pooled';
import type { Script } from '../testing/raw.server';

describe('several recipients', () => {
  it('share one transaction, and a refused copy is reported', async () => {
    const server = await answeringServer();
    const end = await pool(hopAt(server.port)).send(to('ada', 'rcpt-550-copy', 'bob'), content(), notWithdrawn());
    expect(server.taken.map((mail) => mail.to)).toEqual([['ada@example.com', 'bob@example.com']]);
    expect(end).toMatchObject({ outcome: 'sent', detail: expect.stringContaining('rcpt-550-copy@example.com') });
  });

  it('bounce if the main one is refused permanently, but copies are still sent', async () => {
    const server = await answeringServer();
    const end = await pool(hopAt(server.port)).send(to('rcpt-550', 'bob'), content(), notWithdrawn());
    expect(end).toMatchObject({ outcome: 'bounced', reply: { code: 550 } });
    expect(server.taken.map((mail) => mail.to)).toEqual([['bob@example.com']]);
  });

  it('all wait if the main one is deferred', async () => {
    const server = await answeringServer();
    const smtp = pool(hopAt(server.port));
    const mail = to('rcpt-450-once', 'bob');
    expect(await smtp.send(mail, content(), notWithdrawn())).toMatchObject({
      outcome: 'deferred',
      reply: { code: 450 },
    });
    expect(server.taken).toEqual([]);
    expect(await smtp.send(mail, content(), notWithdrawn())).toMatchObject({ outcome: 'sent' });
    expect(server.taken.map(({ to: taken }) => taken)).toEqual([['rcpt-450-once@example.com', 'bob@example.com']]);
  });

  it.each<[string, Script, string]>([
    ['the sender', { mail: '550 5.7.1 no' }, 'MAIL RSET'],
    ['the main one for now', { rcpt: '451 4.3.0 later' }, 'MAIL RCPT RSET'],
    ['all of them', { rcpt: '550 5.1.1 no' }, 'MAIL RCPT RCPT RSET'],
  ])('are not named any further to a hop without PIPELINING that refused %s', async (_, script, said) => {
    const server = await rawServer(script);
    await pool(hopAt(server.port)).send(to('ada', 'bob'), content(), notWithdrawn());
    const words = server.commands.map((command) => command.slice(0, 4));
    expect(words.filter((word) => !/EHLO|QUIT/.test(word)).join(' ')).toBe(said);
  });
});

describe('copies', () => {
  const sendCopies = async (server: { port: number }, mail = to('ada', 'cc', 'bcc')) => {
    const end = (await pool(hopAt(server.port)).send(mail, content(), notWithdrawn()))!;
    return {
      outcome: end.outcome,
      copies: end.copies!.map(({ address, outcome }) => [address.split('@')[0], outcome]),
    };
  };

  it('are reported one by one: sent, deferred, bounced', async () => {
    const server = await answeringServer();
    expect(await sendCopies(server, to('ada', 'rcpt-450-a', 'rcpt-550-b', 'bob'))).toEqual({
      outcome: 'sent',
      copies: [
        ['rcpt-450-a', 'deferred'],
        ['rcpt-550-b', 'bounced'],
        ['bob', 'sent'],
      ],
    });
    expect(server.taken.map((mail) => mail.to)).toEqual([['ada@example.com', 'bob@example.com']]);
  });

  it('fail alone if the hop lacks SMTPUTF8 for their address, but all recipients fail if it is in the header', async () => {
    const server = await answeringServer({ hideSMTPUTF8: true });
    const unsaid = { outcome: 'failed', reason: { code: 'smtputf8_unsupported' } };
    const smtp = pool(hopAt(server.port));
    const end = await smtp.send(to('ada', 'jörg', 'bob'), content(), notWithdrawn());
    expect(end).toMatchObject({
      outcome: 'sent',
      copies: [
        { address: 'bob@example.com', outcome: 'sent' },
        { address: 'jörg@example.com', ...unsaid },
      ],
    });
    expect(await smtp.send(to('ada', 'jörg'), content(), notWithdrawn())).toMatchObject({
      outcome: 'sent',
      copies: [unsaid],
    });
    expect(await smtp.send({ ...to('jörg', 'bob'), main: null }, content(), notWithdrawn())).toMatchObject({
      copies: [{ outcome: 'sent' }, unsaid],
    });
    expect(await smtp.send({ ...to('jörg'), main: null }, content(), notWithdrawn())).toMatchObject(unsaid);
    expect(await smtp.send(to('ada', 'jörg'), content('Cc: jörg@example.com\r\n\r\n'), notWithdrawn())).toMatchObject(
      unsaid,
    );
    expect(server.taken.map((mail) => mail.to)).toEqual([
      ['ada@example.com', 'bob@example.com'],
      ['ada@example.com'],
      ['bob@example.com'],
    ]);
  });

  it('are each marked hard if their own mailbox is refused, independently of the main recipient', async () => {
    const hard = async (server: { port: number }, mail: ReturnType<typeof to>) => {
      const end = (await pool(hopAt(server.port)).send(mail, content(), notWithdrawn()))!;
      return [end.hard, end.copies!.filter((copy) => copy.hard).map(({ address }) => address.split('@')[0])];
    };
    const server = await answeringServer();
    expect(await hard(server, to('ada', 'rcpt-450-a', 'rcpt-550-b', 'bob'))).toEqual([false, ['rcpt-550-b']]);
    expect(await hard(server, to('rcpt-550', 'bob'))).toEqual([true, []]);
    expect(await hard(server, { ...to('rcpt-550-b'), main: null })).toEqual([false, ['rcpt-550-b']]);
    expect(await hard(await rawServer({ rcpt: '550 5.7.1 Not from you' }), to('ada', 'bob'))).toEqual([false, []]);
    // Nobody can tell which recipient's mailbox this is about.
    const all = await rawServer({ dot: '550 5.1.1 no such user' });
    expect(await hard(all, to('ada', 'cc', 'bcc'))).toEqual([false, []]);
  });

  it('are sent or deferred even if the main recipient bounces', async () => {
    const server = await answeringServer();
    expect(await sendCopies(server, to('rcpt-550', 'rcpt-450-a', 'bob'))).toEqual({
      outcome: 'bounced',
      copies: [
        ['rcpt-450-a', 'deferred'],
        ['bob', 'sent'],
      ],
    });
  });

  it('are not sent before a deferred main recipient, whatever the code', async () => {
    const server = await answeringServer({
      onRcptTo: ({ address }, _session, done) =>
        done(
          address.startsWith('ada')
            ? Object.assign(new Error('5.7.0 Authentication required'), { responseCode: 530 })
            : null,
        ),
    });
    expect(await sendCopies(server)).toMatchObject({ outcome: 'deferred' });
    expect(server.taken).toEqual([]);
  });

  it.each<[string, Script, string]>([
    ['is deferred at the final dot', { dot: '451 4.3.0 later' }, 'deferred'],
    ['is refused at the final dot', { dot: '554 5.7.1 no' }, 'bounced'],
    ['breaks after the final dot', { dot: 'cut' }, 'unknown'],
    ['breaks before the final dot', { data: 'cut' }, 'deferred'],
    ['is refused at MAIL', { mail: '550 5.7.1 no' }, 'bounced'],
    ['is deferred at RCPT', { rcpt: '450 4.2.0 later' }, 'deferred'],
    ['ends with 421', { rcpt: '421 4.3.2 closing down' }, 'deferred'],
  ])('without a main recipient share the outcome of the mail, if it %s', async (_, script, outcome) => {
    const server = await rawServer(script);
    const copies = [
      ['cc', outcome],
      ['bcc', outcome],
    ];
    expect(await sendCopies(server, { ...to('cc', 'bcc'), main: null })).toEqual({ outcome, copies });
    expect(server.commands.filter((command) => command.includes('ada'))).toEqual([]);
  });

  it.each([
    ['rcpt-450-a', 'rcpt-550-b'],
    ['rcpt-550-b', 'rcpt-450-a'],
  ])(
    'without a main recipient, all refused (%s, %s), are deferred as long as one is refused temporarily',
    async (...names) => {
      const server = await answeringServer();
      const end = await pool(hopAt(server.port)).send({ ...to(...names), main: null }, content(), notWithdrawn());
      expect(end).toMatchObject({ outcome: 'deferred', reply: { code: 450 } });
    },
  );

  it('without a main recipient are sent to those that were accepted', async () => {
    const server = await answeringServer();
    expect(await sendCopies(server, { ...to('rcpt-450-a', 'rcpt-550-b', 'bob'), main: null })).toEqual({
      outcome: 'sent',
      copies: [
        ['rcpt-450-a', 'deferred'],
        ['rcpt-550-b', 'bounced'],
        ['bob', 'sent'],
      ],
    });
    expect(server.taken.map((mail) => mail.to)).toEqual([['bob@example.com']]);
  });

  it('are not reported for a mail without any', async () => {
    const server = await answeringServer();
    const end = await pool(hopAt(server.port)).send(to('ada'), content(), notWithdrawn());
    expect(end).not.toHaveProperty('copies');
  });
});
