import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { AttemptEnd } from '../lifecycle/delivery';
import { content } from '../testing/pooled';
import { RawServer, type Script } from '../testing/raw.server';
import { afterwards } from '../testing/test.servers';
import { SMTP_DEFAULTS, type SmtpPoolOptions } from './smtp.options';
import { SmtpPool } from '../hop/hop.pool';
import { Withdrawal } from './smtp.withdrawal';

const PIPELINING = '250-raw\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 SIZE 1000000';
const mail = content('Subject: a\r\n\r\nHello\r\n');
const envelope = (...names: string[]) => ({
  from: 'shop@example.com',
  to: names.map((name) => `${name}@example.com`),
  main: `${names[0]}@example.com`,
});
const notWithdrawn = new Withdrawal();

async function raw(script: Script): Promise<RawServer> {
  const made = await new RawServer(() => script).listen();
  afterwards(() => made.close());
  return made;
}

function pool(port: number, options: Partial<SmtpPoolOptions> = {}): SmtpPool {
  const hop = { host: '127.0.0.1', port, implicitTls: false, tls: 'off' as const, auth: null };
  const made = new SmtpPool(hop, Date.now, options);
  afterwards(() => made.close());
  return made;
}

/** A server whose behaviour is `serve`, called for each connection. */
async function server(serve: (socket: Socket) => void): Promise<number> {
  const made: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    afterwards(() => void socket.destroy());
    serve(socket);
  });
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  afterwards(() => new Promise<void>((resolve) => void made.close(() => resolve())));
  return (made.address() as AddressInfo).port;
}

const HOSTILE_ANSWERS: [string, string][] = [
  ['a line of 1 MB', `250 ${'x'.repeat(1_000_000)}`],
  ['a million lines', '250-more\r\n'.repeat(1_000_000)],
  ['NULs', '\0'.repeat(5000)],
  ['garbage', 'what do you want?'],
  ['a code that is none', '999 fine'],
  ['a code out of place', '150 fine'],
  ['a code of two digits', '25 fine'],
];

describe.each([
  ['one at a time', '250 raw'],
  ['pipelined', PIPELINING],
])('a server that replies with nonsense, commands sent %s', (_, ehlo) => {
  describe.each(['greeting', 'mail', 'rcpt', 'data'] as const)('to %s', (step) => {
    it.each(HOSTILE_ANSWERS)('%s: deferred', async (_name, horror) => {
      const hop = await raw({ ehlo, [step]: horror });
      const end = await pool(hop.port).send(envelope('ada'), mail, notWithdrawn);
      expect(end).toMatchObject({ outcome: 'deferred', hard: false });
      expect(hop.contents).toEqual([]);
    });
  });

  it.each([...HOSTILE_ANSWERS, ['a 354 reply', '354 go on'] as [string, string]])(
    'after the final dot (%s): unknown',
    async (_name, horror) => {
      const hop = await raw({ ehlo, dot: horror });
      const end = await pool(hop.port).send(envelope('ada'), mail, notWithdrawn);
      expect(end).toMatchObject({ outcome: 'unknown', reason: { code: 'uncertain' } });
      expect(hop.contents).toHaveLength(1);
    },
  );
});

it('a reply to the mail with both 250 and 550 counts as unknown', async () => {
  const hop = await raw({ dot: '250-2.0.0 queued\r\n550 5.7.1 refused after all' });
  const end = await pool(hop.port).send(envelope('ada'), mail, notWithdrawn);
  expect(end).toMatchObject({ outcome: 'unknown', detail: expect.stringContaining('both 250 and 550') });
});

it.each([
  ['positive and negative', '250-and\r\n550 no'],
  ['without end', `250 ${'x'.repeat(9_000)}`],
])('a positive reply to a mail counts, even if followed by a reply %s', async (_, behind) => {
  const hop = await raw({ dot: `250 taken\r\n${behind}` });
  const smtp = pool(hop.port);
  expect(await smtp.send(envelope('ada'), mail, notWithdrawn)).toMatchObject({ outcome: 'sent', reply: { code: 250 } });
  expect(await smtp.send(envelope('bob'), mail, notWithdrawn)).toMatchObject({ outcome: 'sent' });
  expect(hop.commands.filter((command) => command.startsWith('EHLO'))).toHaveLength(2);
});

it('a reply sent before the content is not taken as the reply to it', async () => {
  const hop = await raw({ ehlo: PIPELINING, data: '354 go on\r\n250 taken' });
  const end = await pool(hop.port).send(envelope('ada'), mail, notWithdrawn);
  expect(end).toMatchObject({ outcome: 'deferred', reason: { code: 'next_hop_unavailable' } });
  expect(hop.contents).toEqual([]);
});

it('an extra reply is not taken as that to the next command: nobody is refused for another', async () => {
  const answers = ['550 5.1.1 no such user', '250 fine'];
  const hop = await raw({ mail: '250 fine\r\n250 once more', rcpt: () => answers.shift() });
  const end = await pool(hop.port).send(envelope('ada', 'bob'), mail, notWithdrawn);
  expect(end).toMatchObject({ outcome: 'deferred', copies: [{ address: 'bob@example.com', outcome: 'deferred' }] });
});

it('a refusal counts, even if the server says goodbye behind it', async () => {
  const hop = await raw({ rcpt: '550 5.1.1 no such user\r\n421 4.7.0 too many errors' });
  const end = await pool(hop.port).send(envelope('ada', 'bob'), mail, notWithdrawn);
  expect(end).toMatchObject({ outcome: 'bounced', hard: true, copies: [{ outcome: 'deferred' }] });
});

describe('a reply with a line that has no code, the rest of which comes late', () => {
  /** Answers MAIL, each RCPT and DATA by `answers`: of each, what is behind `|` only when the next command has come. */
  async function late(answers: string[]): Promise<{ hop: RawServer; end: AttemptEnd | undefined }> {
    let behind = '';
    const next = () => {
      const [now, then = ''] = answers.shift()!.split('|');
      const said = behind + now!;
      behind = then;
      return said;
    };
    const hop = await raw({ mail: next, rcpt: next, dot: next });
    return { hop, end: await pool(hop.port).send(envelope('ada', 'bob'), mail, notWithdrawn) };
  }

  it('is not taken as the reply to the next command: nobody is refused for another', async () => {
    const { hop, end } = await late(['250 a', '550-5.1.1 no such user\r\nsee our page|550 5.1.1\r\n', '250 bob']);
    expect(end).toMatchObject({
      outcome: 'bounced',
      hard: true,
      copies: [{ address: 'bob@example.com', outcome: 'deferred' }],
    });
    expect(hop.contents).toEqual([]);
  });

  it('leaves open whether the mail was taken', async () => {
    const { end } = await late(['250 a', '250 ada', '250 bob', '250-queued\r\nas 7|250 queued\r\n']);
    expect(end).toMatchObject({ outcome: 'unknown', detail: expect.stringContaining('without a code') });
  });
});

it('a connection is closed if the content is accepted before it was sent', async () => {
  const hop = await raw({ data: '250 taken' });
  const smtp = pool(hop.port);
  for (const name of ['ada', 'bob']) {
    expect(await smtp.send(envelope(name), mail, notWithdrawn)).toMatchObject({ outcome: 'deferred' });
  }
  expect(hop.commands.filter((command) => command.startsWith('EHLO'))).toHaveLength(2);
  expect(hop.commands).not.toContain('RSET');
});

it('nothing more is sent if the server waits for content that it must not get', async () => {
  let said = '';
  const port = await server((socket) => {
    socket.write('220 raw\r\n');
    const answers = [PIPELINING, '250 a\r\n550 5.1.1 b\r\n354 go on'];
    socket.on('data', (bytes) => {
      said += bytes.toString();
      const answer = answers.shift();
      if (answer) socket.write(`${answer}\r\n`);
    });
  });
  expect(await pool(port).send(envelope('ada'), mail, notWithdrawn)).toMatchObject({ outcome: 'bounced' });
  expect(said.endsWith('DATA\r\n')).toBe(true);
});

it('a connection with an unexpected extra reply is not reused', async () => {
  const hop = await raw({ dot: '250 taken\r\n250 and once more' });
  const smtp = pool(hop.port);
  expect(await smtp.send(envelope('ada'), mail, notWithdrawn)).toMatchObject({ outcome: 'sent' });
  expect(await smtp.send(envelope('bob'), mail, notWithdrawn)).toMatchObject({ outcome: 'sent' });
  expect(hop.commands.filter((command) => command.startsWith('EHLO'))).toHaveLength(2);
});

it.each<[Script, number, string[]]>([
  [{ ehlo: '421 4.3.2 closing' }, 421, ['EHLO']],
  [{ ehlo: '502 what?', helo: '450 4.3.2 not now' }, 450, ['EHLO', 'HELO']],
  [{ ehlo: '451 4.3.2 not now' }, 451, ['EHLO']],
])('the attempt is deferred if EHLO or HELO is refused (%j)', async (script, code, said) => {
  const hop = await raw(script);
  const end = await pool(hop.port).send(envelope('ada'), mail, notWithdrawn);
  expect(end).toMatchObject({ outcome: 'deferred', reason: { code: 'next_hop_unavailable' }, reply: { code } });
  expect(hop.commands.map((command) => command.slice(0, 4))).toEqual(said);
});

it.each(['421 4.3.2 closing', 'what do you want?'])(
  'a copy is not considered refused if the server replies %s',
  async (last) => {
    const answers = ['250 fine', last];
    const hop = await raw({ rcpt: () => answers.shift() });
    const end = await pool(hop.port).send(envelope('ada', 'bob'), mail, notWithdrawn);
    expect(end).toMatchObject({ outcome: 'deferred', copies: [{ address: 'bob@example.com', outcome: 'deferred' }] });
    expect(hop.contents).toEqual([]);
  },
);

it('a reply is read even if the connection closes right after it', async () => {
  const port = await server((socket) => socket.end('554 5.7.1 go away'));
  const end = await pool(port).send(envelope('ada'), mail, notWithdrawn);
  expect(end).toMatchObject({ outcome: 'deferred', reply: { code: 554, enhanced: '5.7.1' } });
});

it('a conversation that drips slowly without end is ended', async () => {
  const timeouts = { ...SMTP_DEFAULTS.timeouts, connect: 20, greeting: 60 };
  const port = await server((socket) => {
    const timer = setInterval(() => socket.write('220-a\r\n'), 5);
    socket.on('close', () => clearInterval(timer));
  });
  const end = await pool(port, { timeouts }).send(envelope('ada'), mail, notWithdrawn);
  expect(end).toMatchObject({ outcome: 'deferred', reason: { code: 'next_hop_unavailable' } });
});

it('the attempt is deferred if the server stops reading in the middle of the content', async () => {
  const port = await server((socket) => {
    socket.write('220 raw\r\n');
    let answers = [PIPELINING, '250 fine\r\n250 fine\r\n354 go on'];
    socket.on('data', () => {
      const [answer, ...rest] = answers;
      answers = rest;
      if (answer) socket.write(`${answer}\r\n`);
      if (rest.length === 0) socket.pause();
    });
  });
  const huge = {
    size: 64_000_000,
    eightBit: false,
    chunks: () => Array(1000).fill(Buffer.alloc(64_000, 'a\r\n')).values(),
  };
  const smtp = pool(port, { timeouts: { ...SMTP_DEFAULTS.timeouts, block: 50 } });
  // SIZE offers a million, so the mail is refused before anything is sent.
  expect(await smtp.send(envelope('ada'), huge, notWithdrawn)).toMatchObject({ reason: { code: 'message_too_large' } });
  const stalled = await smtp.send(envelope('ada'), { ...huge, size: 1000 }, notWithdrawn);
  expect(stalled).toMatchObject({ outcome: 'deferred', reason: { code: 'next_hop_unavailable' } });
});

describe('with PIPELINING', () => {
  it('the envelope goes in one write', async () => {
    const writes: string[] = [];
    const port = await server((socket) => {
      socket.write('220 raw\r\n');
      const answers = [PIPELINING, '250 a\r\n250 b\r\n550 5.1.1 c\r\n354 go on', '250 taken', '221 bye'];
      socket.on('data', (bytes) => {
        writes.push(bytes.toString());
        socket.write(`${answers.shift()}\r\n`);
      });
    });
    const end = await pool(port).send(envelope('ada', 'eve'), mail, notWithdrawn);
    expect(end).toMatchObject({ outcome: 'sent', detail: expect.stringContaining('eve@example.com') });
    expect(writes.slice(1, 3)).toEqual([
      'MAIL FROM:<shop@example.com> SIZE=21\r\nRCPT TO:<ada@example.com>\r\nRCPT TO:<eve@example.com>\r\nDATA\r\n',
      'Subject: a\r\n\r\nHello\r\n.\r\n',
    ]);
  });

  it('a server that accepts DATA but no recipient gets no content', async () => {
    const hop = await raw({ ehlo: PIPELINING, rcpt: '550 5.1.1 no such user' });
    const smtp = pool(hop.port);
    const end = await smtp.send(envelope('ada'), mail, notWithdrawn);
    expect(end).toMatchObject({ outcome: 'bounced', hard: true, reason: { code: 'mailbox_unknown' } });
    expect(await smtp.send(envelope('bob'), mail, notWithdrawn)).toMatchObject({ outcome: 'bounced' });
    expect(hop.contents).toEqual([]);
  });

  it('a refused sender is reported by the reply to MAIL', async () => {
    const hop = await raw({ ehlo: PIPELINING, mail: '553 5.1.8 sender', rcpt: '503 no MAIL', data: '503 no RCPT' });
    const end = await pool(hop.port).send(envelope('ada'), mail, notWithdrawn);
    expect(end).toMatchObject({ outcome: 'bounced', reply: { code: 553 } });
  });
});
