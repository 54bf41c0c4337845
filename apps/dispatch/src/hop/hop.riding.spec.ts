import type { AttemptEnd } from '../lifecycle/delivery';
import { content } from '../testing/pooled';
import { afterwards } from '../testing/test.servers';
import { LineHop, type AtDot } from '../testing/line.hop';
import { SMTP_DEFAULTS, type SmtpPoolOptions } from '../smtp/smtp.options';
import { SmtpPool } from './hop.pool';
import { mayRide, NO_RIDE_YET, beginRide, endRide } from './hop.riding';
import type { Transaction } from '../smtp/smtp.transaction';
import { Withdrawal } from '../smtp/smtp.withdrawal';

const hop = (atDot: AtDot = () => '250 taken', offer?: string) => new LineHop(atDot, offer).listen();

describe('a mail that rides behind another', () => {
  let smtp: SmtpPool;
  const pool = (port: number, options: Partial<SmtpPoolOptions> = {}): void => {
    const next = { host: '127.0.0.1', port, implicitTls: false, tls: 'off' as const, auth: null };
    smtp = new SmtpPool(next, Date.now, { maxConnections: 1, ...options });
    afterwards(() => smtp.close());
  };
  const send = (name: string, { withdrawal = new Withdrawal(), urgent = false, text = '' } = {}) => {
    const to = `${name}@example.com`;
    const mail = content(`Subject: ${name}\r\n\r\nHello\r\n${text}`);
    return smtp.send({ from: 'shop@example.com', to: [to], main: to }, mail, withdrawal, urgent);
  };
  const outcomes = (ends: (AttemptEnd | undefined)[]) => ends.map((end) => end?.outcome);
  const waitUntil = async (done: () => boolean) => {
    while (!done()) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  it('goes in one write with the end of the previous one, and each gets its own reply', async () => {
    const server = await hop((subject) => (subject === 'b' ? '451 4.2.0 later' : '250 taken'));
    pool(server.port);
    await send('alone');
    expect(outcomes(await Promise.all(['a', 'b', 'c', 'refused', 'd'].map((name) => send(name))))).toEqual([
      'sent',
      'deferred',
      'sent',
      'bounced',
      'sent',
    ]);
    expect(server.taken).toEqual(['alone', 'a', 'b', 'c', 'd']);
    expect(server.pieces).toContain('. MAIL RCPT DATA');
  });

  it('is sent separately if the hop does not offer PIPELINING', async () => {
    const server = await hop(undefined, '250 hop\r\n');
    pool(server.port);
    expect(outcomes(await Promise.all(['a', 'b', 'c'].map((name) => send(name))))).toEqual(['sent', 'sent', 'sent']);
    expect(server.pieces.filter((piece) => piece.includes(' '))).toEqual([]);
  });

  it.each([
    '220 hop ESMTP',
    '220 hop Dovecot ready.',
    '220 hop ESMTP Haraka/3.3.4 ready',
    '220 postfix.example ESMTP',
    '220-exim.example\r\n220 ready',
  ])('is sent separately to a hop not known to support riding: %s', async (greeting) => {
    const server = await hop();
    server.greeting = `${greeting}\r\n`;
    pool(server.port);
    expect(outcomes(await Promise.all(['a', 'b', 'c'].map((name) => send(name))))).toEqual(['sent', 'sent', 'sent']);
    expect(server.pieces.filter((piece) => piece.startsWith('. '))).toEqual([]);
    expect(smtp.allowsRides).toBe(false);
  });

  it.each(['220 hop ESMTP Exim 4.96 Mon, 23 Nov 2026', '220 hop ESMTP Sendmail 8.17.1/8.17.1; Mon'])(
    'is sent with the previous one to a hop known to support riding: %s',
    async (greeting) => {
      const server = await hop();
      server.greeting = `${greeting}\r\n`;
      pool(server.port);
      expect(smtp.allowsRides).toBe(false);
      await Promise.all(['a', 'b', 'c'].map((name) => send(name)));
      expect(server.pieces).toContain('. MAIL RCPT DATA');
      expect(smtp.allowsRides).toBe(true);
    },
  );

  it.each([
    ['the connection breaks', 'cut', 'unknown'],
    ['the hop closes', '421 4.3.2 closing', 'deferred'],
    ['the reply is invalid', 'what?', 'unknown'],
  ])(
    'is sent on another connection, without a lost attempt, when %s after the previous dot',
    async (_, answer, outcome) => {
      let first = true;
      const server = await hop(() => {
        const said = first ? answer : '250 taken';
        first = false;
        return said;
      });
      pool(server.port);
      expect(outcomes(await Promise.all(['a', 'b', 'c'].map((name) => send(name))))).toEqual([outcome, 'sent', 'sent']);
      expect(server.taken).toEqual(['a', 'b', 'c']);
      expect(server.connections).toBe(2);
    },
  );

  it('can be withdrawn without harm to the previous one, and nothing of it arrives', async () => {
    const server = await hop((subject) => (subject === 'a' ? 'hold' : '250 taken'));
    pool(server.port);
    const lost = new Withdrawal();
    const [a, b, c] = [send('a'), send('b', { withdrawal: lost }), send('c')];
    await waitUntil(() => server.pieces.some((piece) => piece.startsWith('. MAIL')));
    lost.withdraw();
    await new Promise((resolve) => setTimeout(resolve, 20));
    server.release();
    expect(outcomes(await Promise.all([a, b, c]))).toEqual(['sent', undefined, 'sent']);
    expect(server.taken).toEqual(['a', 'c']);
  });

  it('counts no attempt if the pool closes, while the previous one is unknown', async () => {
    const server = await hop(() => 'hold');
    pool(server.port);
    const ends = ['a', 'b', 'c'].map((name) => send(name));
    await waitUntil(() => server.withheldCount === 1);
    smtp.close();
    expect(outcomes(await Promise.all(ends))).toEqual(['unknown', undefined, undefined]);
    expect(server.taken).toEqual(['a']);
  });

  it('is the urgent one, if there is one', async () => {
    const server = await hop((subject) => (subject === 'a' ? 'hold' : '250 taken'));
    pool(server.port);
    const ends = ['a', 'b', 'c'].map((name) => send(name));
    await waitUntil(() => server.withheldCount === 1);
    // The connection that it may have for itself is not greeted.
    server.greeting = '';
    ends.push(send('urgent', { urgent: true }));
    server.release();
    await Promise.all(ends);
    expect(server.taken).toEqual(['a', 'b', 'urgent', 'c']);
  });

  it('is neither one the hop would refuse nor one beyond the limit of the connection', async () => {
    const server = await hop();
    pool(server.port, { maxMessages: 2 });
    const ends = await Promise.all([
      send('a'),
      send('large', { text: 'x'.repeat(70).concat('\r\n').repeat(2_000) }),
      ...['b', 'c', 'd', 'e'].map((name) => send(name)),
    ]);
    expect(outcomes(ends)).toEqual(['sent', 'failed', 'sent', 'sent', 'sent', 'sent']);
    expect([...server.taken].sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(server.connections).toBeGreaterThanOrEqual(3);
  });

  it.each(['503 Bad sequence of commands', '554 SMTP synchronization error', '550 5.0.0 Pipelining not supported'])(
    'is sent another way, and none rides again, if the hop refuses commands behind a dot (%s)',
    async (refusal) => {
      const server = await hop((subject) => (subject === 'b' ? '451 4.2.0 later' : '250 taken'));
      server.afterDot = 'refused';
      server.refusal = refusal;
      pool(server.port, { maxConnections: 3 });
      const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
      const ends = await Promise.all(names.map((name) => send(name)));
      expect(outcomes(ends)).toEqual(names.map((name) => (name === 'b' ? 'deferred' : 'sent')));
      expect([...server.taken].sort()).toEqual(names);
      expect(server.pieces.filter((piece) => piece.startsWith('. MAIL'))).toHaveLength(1);
    },
  );

  it('is sent another way if the hop drops commands behind a dot', async () => {
    const server = await hop();
    server.afterDot = 'dropped';
    pool(server.port, { timeouts: { ...SMTP_DEFAULTS.timeouts, command: 200 } });
    const names = ['a', 'b', 'c', 'd'];
    expect(outcomes(await Promise.all(names.map((name) => send(name))))).toEqual(names.map(() => 'sent'));
    expect([...server.taken].sort()).toEqual(names);
    expect(server.pieces.filter((piece) => piece.startsWith('. MAIL'))).toHaveLength(1);
  });

  it('leaves only one mail uncertain if the hop hangs up on commands behind a dot', async () => {
    const server = await hop();
    server.afterDot = 'hangUp';
    pool(server.port, { maxConnections: 3 });
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const ends = outcomes(await Promise.all(names.map((name) => send(name))));
    expect(ends.filter((outcome) => outcome === 'unknown')).toHaveLength(1);
    expect(ends.filter((outcome) => outcome === 'sent')).toHaveLength(5);
    expect([...server.taken].sort()).toEqual(names);
  });

  it('is retried once on a new connection if a reused one is out of step', async () => {
    const server = await hop();
    pool(server.port);
    expect((await send('a'))?.outcome).toBe('sent');
    server.mail = ['503 5.5.1 nested MAIL command'];
    expect((await send('b'))?.outcome).toBe('sent');
    server.mail = ['503 5.5.1 no', '503 5.5.1 no'];
    expect((await send('c'))?.outcome).toBe('bounced');
    expect(server.connections).toBe(3);
  });
});

describe('mayRide', () => {
  const heard: Transaction = { stage: 'handed_over', response: '250 ok', refused: [], answers: [] };
  const refused: Transaction = { ...heard, stage: 'envelope', response: '503 5.5.1 no', atMail: true };
  const willing = endRide(beginRide(NO_RIDE_YET), heard, 0);
  const MINUTE = 60_000;

  it('lets one mail ask first, and more once that was answered well', () => {
    expect(mayRide(NO_RIDE_YET, 0)).toBe(true);
    expect(mayRide(beginRide(NO_RIDE_YET), 0)).toBe(false);
    expect(mayRide(willing, 0)).toBe(true);
    expect(mayRide(beginRide(willing), 0)).toBe(true);
  });

  it.each<[string, Transaction | undefined]>([
    ['refused', refused],
    ['lost together with the previous mail', undefined],
    ['never answered', { stage: 'envelope', broke: 'silence', refused: [], answers: [] }],
  ])('is false for ten minutes if the first rider is %s', (_, transaction) => {
    const riding = endRide(beginRide(NO_RIDE_YET), transaction, 0);
    expect([0, 10 * MINUTE - 1, 10 * MINUTE].map((now) => mayRide(riding, now))).toEqual([false, false, true]);
    expect(mayRide(riding, -1)).toBe(true);
  });

  it('lets one ask again after a broken connection or a withdrawal', () => {
    const doubted = endRide(willing, undefined, 0);
    expect(mayRide(doubted, 0)).toBe(true);
    expect(mayRide(beginRide(doubted), 0)).toBe(false);
    const aborted: Transaction = { stage: 'envelope', aborted: true, refused: [], answers: [] };
    expect(mayRide(endRide(beginRide(NO_RIDE_YET), aborted, 0), 0)).toBe(true);
    expect(endRide(willing, aborted, 0)).toEqual(willing);
    const answers = [{ recipient: 'ada@example.com', response: '250 ok' }];
    expect(endRide(doubted, { stage: 'content', broke: 'cut', refused: [], answers }, 0).hop).toBe('willing');
  });
});
