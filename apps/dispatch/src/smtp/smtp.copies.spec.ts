import { raw, answering } from '../testing/closing';
import { content, hopAt, never, pool, to } from '../testing/pooled';
import type { Script } from '../testing/raw.server';

describe('several recipients', () => {
  it('share one transaction; a refused copy is told of', async () => {
    const server = await answering();
    const end = await pool(hopAt(server.port)).send(to('ada', 'rcpt-550-copy', 'bob'), content(), never());
    expect(server.taken.map((mail) => mail.to)).toEqual([['ada@example.com', 'bob@example.com']]);
    expect(end).toMatchObject({ outcome: 'sent', detail: expect.stringContaining('rcpt-550-copy@example.com') });
  });

  it('bounce when the main one is refused for good; the copies go', async () => {
    const server = await answering();
    const end = await pool(hopAt(server.port)).send(to('rcpt-550', 'bob'), content(), never());
    expect(end).toMatchObject({ outcome: 'bounced', reply: { code: 550 } });
    expect(server.taken.map((mail) => mail.to)).toEqual([['bob@example.com']]);
  });

  it('all wait when the main one is refused for now', async () => {
    const server = await answering();
    const smtp = pool(hopAt(server.port));
    const mail = to('rcpt-450-once', 'bob');
    expect(await smtp.send(mail, content(), never())).toMatchObject({ outcome: 'deferred', reply: { code: 450 } });
    expect(server.taken).toEqual([]);
    expect(await smtp.send(mail, content(), never())).toMatchObject({ outcome: 'sent' });
    expect(server.taken.map(({ to: taken }) => taken)).toEqual([['rcpt-450-once@example.com', 'bob@example.com']]);
  });
});

describe('copies', () => {
  const fates = async (server: { port: number }, mail = to('ada', 'cc', 'bcc')) => {
    const end = (await pool(hopAt(server.port)).send(mail, content(), never()))!;
    return {
      outcome: end.outcome,
      copies: end.copies!.map(({ address, outcome }) => [address.split('@')[0], outcome]),
    };
  };

  it('are told of one by one: taken, put off, refused', async () => {
    const server = await answering();
    expect(await fates(server, to('ada', 'rcpt-450-a', 'rcpt-550-b', 'bob'))).toEqual({
      outcome: 'sent',
      copies: [
        ['rcpt-450-a', 'deferred'],
        ['rcpt-550-b', 'bounced'],
        ['bob', 'sent'],
      ],
    });
    expect(server.taken.map((mail) => mail.to)).toEqual([['ada@example.com', 'bob@example.com']]);
  });

  it('are given up alone where the hop has no words for their address; one in the header holds up all', async () => {
    const server = await answering({ hideSMTPUTF8: true });
    const unsaid = { outcome: 'failed', reason: { code: 'smtputf8_unsupported' } };
    const smtp = pool(hopAt(server.port));
    const end = await smtp.send(to('ada', 'jörg', 'bob'), content(), never());
    expect(end).toMatchObject({
      outcome: 'sent',
      copies: [
        { address: 'bob@example.com', outcome: 'sent' },
        { address: 'jörg@example.com', ...unsaid },
      ],
    });
    expect(await smtp.send(to('ada', 'jörg'), content(), never())).toMatchObject({ outcome: 'sent', copies: [unsaid] });
    expect(await smtp.send({ ...to('jörg', 'bob'), main: null }, content(), never())).toMatchObject({
      copies: [{ outcome: 'sent' }, unsaid],
    });
    expect(await smtp.send({ ...to('jörg'), main: null }, content(), never())).toMatchObject(unsaid);
    expect(await smtp.send(to('ada', 'jörg'), content('Cc: jörg@example.com\r\n\r\n'), never())).toMatchObject(unsaid);
    expect(server.taken.map((mail) => mail.to)).toEqual([
      ['ada@example.com', 'bob@example.com'],
      ['ada@example.com'],
      ['bob@example.com'],
    ]);
  });

  it('are the cause themselves where the mailbox of one is refused; the main one is not, and no other copy', async () => {
    const hard = async (server: { port: number }, mail: ReturnType<typeof to>) => {
      const end = (await pool(hopAt(server.port)).send(mail, content(), never()))!;
      return [end.hard, end.copies!.filter((copy) => copy.hard).map(({ address }) => address.split('@')[0])];
    };
    const server = await answering();
    expect(await hard(server, to('ada', 'rcpt-450-a', 'rcpt-550-b', 'bob'))).toEqual([false, ['rcpt-550-b']]);
    expect(await hard(server, to('rcpt-550', 'bob'))).toEqual([true, []]);
    expect(await hard(server, { ...to('rcpt-550-b'), main: null })).toEqual([false, ['rcpt-550-b']]);
    // Nobody can tell which recipient's mailbox this is about.
    const all = await raw({ dot: '550 5.1.1 no such user' });
    expect(await hard(all, to('ada', 'cc', 'bcc'))).toEqual([false, []]);
  });

  it('are put off while the main one is refused for good', async () => {
    const server = await answering();
    expect(await fates(server, to('rcpt-550', 'rcpt-450-a', 'bob'))).toEqual({
      outcome: 'bounced',
      copies: [
        ['rcpt-450-a', 'deferred'],
        ['bob', 'sent'],
      ],
    });
  });

  it('do not go ahead of a main one that waits, whatever the code', async () => {
    const server = await answering({
      onRcptTo: ({ address }, _session, done) =>
        done(
          address.startsWith('ada')
            ? Object.assign(new Error('5.7.0 Authentication required'), { responseCode: 530 })
            : null,
        ),
    });
    expect(await fates(server)).toMatchObject({ outcome: 'deferred' });
    expect(server.taken).toEqual([]);
  });

  it.each<[string, Script, string]>([
    ['is put off at the dot', { dot: '451 4.3.0 later' }, 'deferred'],
    ['is refused at the dot', { dot: '554 5.7.1 no' }, 'bounced'],
    ['breaks after the dot', { dot: 'cut' }, 'unknown'],
    ['breaks before the dot', { data: 'cut' }, 'deferred'],
    ['is refused at MAIL', { mail: '550 5.7.1 no' }, 'bounced'],
    ['is put off at RCPT', { rcpt: '450 4.2.0 later' }, 'deferred'],
    ['ends with 421', { rcpt: '421 4.3.2 closing down' }, 'deferred'],
  ])('alone share what becomes of the mail: it %s', async (_, script, outcome) => {
    const server = await raw(script);
    const copies = [
      ['cc', outcome],
      ['bcc', outcome],
    ];
    expect(await fates(server, { ...to('cc', 'bcc'), main: null })).toEqual({ outcome, copies });
    expect(server.commands.filter((command) => command.includes('ada'))).toEqual([]);
  });

  it.each([
    ['rcpt-450-a', 'rcpt-550-b'],
    ['rcpt-550-b', 'rcpt-450-a'],
  ])(
    'alone, all refused (%s, %s), are an attempt to be followed by another while one is refused for now',
    async (...names) => {
      const server = await answering();
      const end = await pool(hopAt(server.port)).send({ ...to(...names), main: null }, content(), never());
      expect(end).toMatchObject({ outcome: 'deferred', reply: { code: 450 } });
    },
  );

  it('alone go to those that are taken', async () => {
    const server = await answering();
    expect(await fates(server, { ...to('rcpt-450-a', 'rcpt-550-b', 'bob'), main: null })).toEqual({
      outcome: 'sent',
      copies: [
        ['rcpt-450-a', 'deferred'],
        ['rcpt-550-b', 'bounced'],
        ['bob', 'sent'],
      ],
    });
    expect(server.taken.map((mail) => mail.to)).toEqual([['bob@example.com']]);
  });

  it('are no matter of a mail that has none', async () => {
    const server = await answering();
    const end = await pool(hopAt(server.port)).send(to('ada'), content(), never());
    expect(end).not.toHaveProperty('copies');
  });
});
