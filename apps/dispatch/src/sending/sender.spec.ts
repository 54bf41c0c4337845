import { createHash } from 'node:crypto';
import PostalMime from 'postal-mime';
import type { Event } from '@lettermill/events';
import { StoreUnavailable } from '@lettermill/storage';
import { PRIORITIES } from '../deliveries/deliveries.store';
import { newDelivery } from '../deliveries/delivery.job';
import { DispatchFile, messageId, queued, until, type DispatchService } from '../testing/dispatch.service';
import { RawServer, type Script } from '../testing/raw.server';
import { SmtpSink } from '../testing/smtp.sink';
import { Sender } from './sender';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

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
function file(): DispatchFile {
  const made = new DispatchFile();
  closers.push(() => made.remove());
  return made;
}
const typesOf = (one: DispatchFile, n: number): string[] =>
  one
    .told()
    .filter(({ data }) => 'message_id' in data && data.message_id === messageId(n))
    // Told or not, by how long an attempt took: a test of its own is about it.
    .filter(({ type }) => type !== 'MessageSending')
    .map(({ type }) => type);
const settled = (service: DispatchService) => async () => (await service.store.unannounced(1)).length === 0;

describe('what goes wrong', () => {
  it('bounces, fails and defers as the hop says, each told once with its attempt', async () => {
    const server = await sink();
    const on = file();
    const service = await on.start(server.port, { retryDelays: [0.05, 0.05] });
    await service.take(queued(1, 'rcpt-550'), queued(2, 'data-451-once'), queued(3, 'rcpt-450'), queued(4, 'ada'));
    await until('four ends', () => on.told().length >= 7);
    expect(typesOf(on, 1)).toEqual(['MessageBounced']);
    expect(typesOf(on, 2)).toEqual(['MessageDeferred', 'MessageSent']);
    expect(typesOf(on, 3)).toEqual(['MessageDeferred', 'MessageDeferred', 'MessageFailed']);
    expect(typesOf(on, 4)).toEqual(['MessageSent']);
    expect(on.told('MessageBounced')[0]).toMatchObject({
      id: `${messageId(1)}/attempt-1/bounced`,
      source: 'dispatch',
      key: messageId(1),
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      data: {
        account_id: 'default',
        address: 'rcpt-550@example.com',
        hard: true,
        reason: { code: 'mailbox_unknown' },
        attempt: {
          number: 1,
          outcome: 'bounced',
          remote_address: '127.0.0.1',
          tls: null,
          next_hop: `127.0.0.1:${server.port}`,
          reply: { code: 550 },
        },
      },
    });
    expect(on.told('MessageFailed')[0]).toMatchObject({
      data: { reason: { code: 'attempts_used_up' }, attempt: { number: 3, outcome: 'deferred' } },
    });
  });

  it('sends nothing that has expired or lost its content', async () => {
    const server = await sink();
    const on = file();
    const service = await on.start(server.port);
    const lost = queued(2, 'ada');
    lost.mail.html = { blob: 'a'.repeat(64), size: 5 };
    await service.take(queued(1, 'ada', { expires_at: '2020-01-01T00:00:00.000Z' }), lost);
    await until('two ends', () => on.told().length >= 2);
    const codes = on.told('MessageFailed').map(({ data }) => 'reason' in data && data.reason.code);
    expect(codes.sort()).toEqual(['content_lost', 'expired']);
    expect(server.taken).toEqual([]);
  });

  it('sends the same bytes again after an unknown outcome', async () => {
    const server = await raw((connection) => (connection === 1 ? { dot: 'cut' } : {}));
    const on = file();
    const service = await on.start(server.port);
    await service.take(queued(1, 'ada'));
    await until('sent', () => on.told('MessageSent').length > 0);
    expect(typesOf(on, 1)).toEqual(['MessageUncertain', 'MessageSent']);
    expect(on.told('MessageUncertain')[0]).toMatchObject({ data: { attempt: { number: 1, outcome: 'unknown' } } });
    expect(server.contents).toHaveLength(2);
    expect(server.contents[0]).toBe(server.contents[1]);
  });

  it('holds an unknown outcome where the campaign says so', async () => {
    const server = await raw({ dot: 'cut' });
    const on = file();
    const service = await on.start(server.port);
    await service.take(queued(1, 'ada', { on_uncertain: 'hold' }));
    await until('uncertain', () => on.told().length > 0);
    expect(on.told('MessageUncertain')[0]).toMatchObject({ data: { retry_at: null } });
    expect(await service.store.waiting(10)).toBe(0);
  });

  it('waits for a hop that is down with one message at a time, and goes on when it is back', async () => {
    const server = await new SmtpSink().listen();
    const { port } = server;
    await server.close();
    const on = file();
    const service = await on.start(port, { retryDelays: [0.3, 0.3, 0.3, 0.3, 0.3] });
    await service.take(...Array.from({ length: 50 }, (_, n) => queued(n, `n${n}`)));
    await until('one attempt', () => on.told().length > 0);
    expect(on.told()).toHaveLength(1);
    expect(on.told('MessageDeferred')[0]).toMatchObject({ data: { reason: { code: 'next_hop_unavailable' } } });
    await server.restart(port);
    closers.push(() => server.close());
    await until('all sent', () => on.told('MessageSent').length === 50);
    expect(on.told('MessageDeferred').length).toBeLessThanOrEqual(3);
    expect(new Set(server.taken.map(({ to }) => to[0])).size).toBe(50);
  });

  it('keeps outcomes while the log is away and tells them when it is back', async () => {
    const server = await sink();
    const on = file();
    const service = await on.start(server.port);
    on.log.away = true;
    await service.take(...Array.from({ length: 20 }, (_, n) => queued(n, `n${n}`)));
    await until('all taken', () => server.taken.length === 20);
    expect(on.told()).toEqual([]);
    on.log.away = false;
    await until('all told', () => on.told('MessageSent').length === 20);
    await until('all forgotten', settled(service));
    expect(new Set(on.told().map(({ id }) => id)).size).toBe(20);
  });
});

describe('a repeated MessageQueued', () => {
  it('sends nothing twice, neither while it waits nor after it went', async () => {
    const server = await sink();
    const on = file();
    const service = await on.start(server.port);
    await service.take(queued(1, 'ada'), queued(2, 'bob'));
    await service.take(queued(1, 'ada'), queued(2, 'bob'));
    await until('both sent', () => on.told().length >= 2);
    await service.take(queued(1, 'ada'), queued(3, 'eve'));
    await until('the third sent', () => on.told().length >= 3);
    expect(server.taken.map(({ to }) => to[0]).sort()).toEqual(
      ['ada', 'bob', 'eve'].map((name) => `${name}@example.com`),
    );
  });
});

describe('a process that dies', () => {
  it('leaves attempts that the next one takes back at once as unknown', async () => {
    const server = await raw((connection) => (connection <= 1 ? { dot: 'hang' } : {}));
    const on = file();
    const first = await on.start(server.port);
    await first.take(queued(1, 'ada'), queued(2, 'bob'));
    await until('handed over', () => server.contents.length > 0);
    await first.die();
    await on.start(server.port);
    await until('both sent', () => [1, 2].every((n) => typesOf(on, n).includes('MessageSent')));
    expect(typesOf(on, 1)).toEqual(['MessageUncertain', 'MessageSent']);
    expect(on.told('MessageSent').find(({ key }) => key === messageId(1))).toMatchObject({
      data: { attempt: { number: 2 } },
    });
  });

  it('leaves outcomes that the next one tells', async () => {
    const server = await sink();
    const on = file();
    on.log.away = true;
    const first = await on.start(server.port);
    await first.take(queued(1, 'ada'));
    await until('recorded', async () => (await first.store.unannounced(1)).length === 1);
    await first.die();
    on.log.away = false;
    const second = await on.start(server.port);
    await until('told', () => on.told().length === 1);
    expect(on.told()[0]).toMatchObject({ id: `${messageId(1)}/attempt-1/sent`, type: 'MessageSent' });
    await until('forgotten', settled(second));
  });

  it('is not fenced by another that only lives beside it', async () => {
    const server = await raw((connection) => (connection === 1 ? { dot: 'hang' } : {}));
    const on = file();
    const first = await on.start(server.port, { instance: 'one' });
    await first.take(queued(1, 'ada'));
    await until('handed over', () => server.contents.length > 0);
    const second = await on.start(server.port, { instance: 'two' });
    await second.take(queued(2, 'bob'));
    await until('the second works', () => on.told('MessageSent').length === 1);
    // Told while it goes on, if that takes long; never as ended.
    expect(typesOf(on, 1).filter((type) => type !== 'MessageSending')).toEqual([]);
    await first.die();
  });
});

describe('two that share the queue', () => {
  it('send each message once, also when one of them is told to end', async () => {
    const server = await sink();
    const on = file();
    const one = await on.start(server.port, { instance: 'one' });
    const two = await on.start(server.port, { instance: 'two' });
    const all = Array.from({ length: 200 }, (_, n) => queued(n, `n${n}`));
    await Promise.all([one.take(...all.slice(0, 120)), two.take(...all.slice(80))]);
    await until('some are sent', () => server.taken.length > 20);
    await one.stop();
    await two.take(queued(200, 'n200'));
    await until('all are sent', () => on.told('MessageSent').length === 201);
    expect(new Set(server.taken.map(({ to }) => to[0])).size).toBe(201);
    expect(server.taken).toHaveLength(201);
  });
});

describe('a process that is told to end', () => {
  it('waits for what was handed over, gives back the rest, and tells', async () => {
    let answer: (() => void) | undefined;
    const server = await sink({
      onData: (stream, _session, done) => {
        stream.resume();
        stream.on('end', () => (answer = () => done()));
      },
    });
    const on = file();
    const service = await on.start(server.port);
    await service.take(queued(1, 'ada'));
    await until('handed over', () => answer !== undefined);
    const stopped = service.stop();
    answer!();
    await stopped;
    expect(typesOf(on, 1)).toEqual(['MessageSent']);
  });

  it('counts no attempt for what was not handed over', async () => {
    const server = await raw((connection) => (connection === 1 ? { mail: 'hang' } : {}));
    const on = file();
    const first = await on.start(server.port);
    await first.take(queued(1, 'ada'));
    await until('begun', () => server.commands.some((command) => command.startsWith('MAIL')));
    await first.stop();
    expect(on.told()).toEqual([]);
    await on.start(server.port);
    await until('sent', () => on.told().length > 0);
    expect(on.told()[0]).toMatchObject({ type: 'MessageSent', data: { attempt: { number: 1 } } });
  });
});

describe('sending', () => {
  /** A server that keeps those of some recipients waiting for its answer until it is told to give it. */
  const holding = async (held: (recipient: string) => boolean) => {
    const waiting: { to: string; answer: () => void }[] = [];
    let open = false;
    const server = await sink({
      onData: (stream, session, done) => {
        const to = session.envelope.rcptTo[0]!.address;
        stream.resume();
        stream.on('end', () => (open || !held(to) ? done() : waiting.push({ to, answer: () => done() })));
      },
    });
    const release = () => {
      open = true;
      waiting.splice(0).forEach(({ answer }) => answer());
    };
    return { port: server.port, waiting, release };
  };
  const at = (n: number, domain: string, over: Parameters<typeof queued>[2] = {}) => {
    const message = queued(n, 'ada', over);
    const email = `ada${n}@${domain}`;
    return { ...message, envelope: { ...message.envelope, to: [email] }, mail: { ...message.mail, to: { email } } };
  };

  it('takes the urgent at once, and claims no more than begin soon', async () => {
    const server = await holding((to) => !to.endsWith('@warm.example'));
    const on = file();
    const time = Date.now();
    const service = await on.start(server.port, { now: () => time });
    // The hop is known to bear ten.
    await service.take(...Array.from({ length: 10 }, (_, n) => at(n + 40, 'warm.example')));
    await until('the first are told', () => on.told('MessageSent').length === 10);
    await service.take(...Array.from({ length: 50 }, (_, n) => at(100 + n, `bulk${n}.example`, { priority: 'bulk' })));
    await until('ten are there', () => server.waiting.length === 10);
    // One more for each connection was claimed, as long as the hop was quick.
    expect(await service.store.waiting(100)).toBe(30);
    await service.take(at(90, 'urgent.example', { priority: 'high' }));
    await until('the urgent one is there', () => server.waiting.some(({ to }) => to === 'ada90@urgent.example'));
    expect(await service.store.waiting(100)).toBe(30);
    server.release();
    await until('all are told', () => on.told('MessageSent').length === 61);
  });

  it('takes the urgent without waiting for the queue to be read, and each once', async () => {
    const server = await sink();
    const on = file();
    const service = await on.start(server.port);
    await service.take(at(1, 'warm.example'));
    await until('the first is told', () => on.told('MessageSent').length === 1);
    let read!: () => void;
    const reading = new Promise<void>((resolve) => (read = resolve));
    const due = service.store.due.bind(service.store);
    jest.spyOn(service.store, 'due').mockImplementation(async (...args) => {
      const found = await due(...args);
      await reading;
      return found;
    });
    // As another process puts it there: it is found in the queue.
    const bulk = { data: at(2, 'bulk.example', { priority: 'bulk' }) } as Event<'MessageQueued'>;
    await service.store.insert([newDelivery(bulk, Date.now())]);
    service.app.get(Sender).changed(PRIORITIES.bulk);
    const urgent = [at(3, 'code.example', { priority: 'high' }), at(4, 'code.example', { priority: 'high' })];
    await service.take(...urgent);
    await service.take(...urgent);
    await until('the urgent are told', () => on.told('MessageSent').length === 3);
    expect(server.taken.map(({ to }) => to[0]).sort()).toEqual([
      ...['ada1@warm.example', 'ada3@code.example', 'ada4@code.example'],
    ]);
    read();
    await until('all are told', () => on.told('MessageSent').length === 4);
    expect(server.taken).toHaveLength(4);
  });

  it('keeps and claims in one write what has nothing before it, the first after a start looked for in the queue', async () => {
    const server = await sink();
    const on = file();
    const service = await on.start(server.port);
    const claim = jest.spyOn(service.store, 'claim');
    for (let n = 0; n < 3; n += 1) {
      await service.take(at(n, 'example.org'));
      await until('it is told', () => on.told('MessageSent').length === n + 1);
      await until('the queue is at rest', settled(service));
    }
    expect(claim.mock.calls.length).toBeLessThanOrEqual(1);
    expect(server.taken).toHaveLength(3);
  });

  it('finds in the queue what was kept when the answer of the store was lost', async () => {
    const server = await sink();
    const on = file();
    const service = await on.start(server.port);
    await service.take(at(1, 'example.org'));
    await until('the first is told', () => on.told('MessageSent').length === 1);
    await until('the queue is at rest', settled(service));
    const lost = jest.spyOn(service.store, 'insertAndClaim').mockImplementation(async (deliveries) => {
      await service.store.insert(deliveries);
      throw new StoreUnavailable('the answer was lost');
    });
    const messages = [at(2, 'example.org'), at(3, 'example.org', { priority: 'high' })];
    await expect(service.take(...messages)).rejects.toThrow(StoreUnavailable);
    await until('both are told', () => on.told('MessageSent').length === 3);
    lost.mockRestore();
    await service.take(...messages);
    await until('the queue is at rest', settled(service));
    expect(server.taken).toHaveLength(3);
  });

  it('sends to the others while a domain answers nothing, and to that one when it does', async () => {
    const server = await holding((to) => to.endsWith('@dead.example'));
    const on = file();
    const service = await on.start(server.port);
    await service.take(...Array.from({ length: 300 }, (_, n) => at(n, 'dead.example')));
    await service.take(...Array.from({ length: 60 }, (_, n) => at(1000 + n, `alive${n % 5}.example`)));
    await until('the others are told', () => on.told('MessageSent').length === 60);
    expect(server.waiting.length).toBeLessThanOrEqual(2);
    server.release();
    await until('all are told', () => on.told('MessageSent').length === 360);
    expect(await service.store.waiting(10)).toBe(0);
    expect(await service.store.lanes()).toEqual([]);
  });

  it('tells of an attempt that takes long while it goes on', async () => {
    let answer: (() => void) | undefined;
    const server = await sink({
      onData: (stream, _session, done) => {
        stream.resume();
        stream.on('end', () => (answer = () => done()));
      },
    });
    const on = file();
    const service = await on.start(server.port);
    await service.take(queued(1, 'ada'));
    await until('told', () => on.told('MessageSending').length === 1);
    expect(on.told()[0]).toMatchObject({
      id: `${messageId(1)}/attempt-1/sending`,
      data: { attempt: 1, next_hop: `127.0.0.1:${server.port}` },
    });
    answer!();
    await until('sent', () => on.told('MessageSent').length === 1);
  });

  it('sends what the event says, files and hidden copies included', async () => {
    const server = await sink();
    const on = file();
    const picture = Buffer.alloc(70_000, 'png');
    const blob = createHash('sha256').update(picture).digest('hex');
    on.blobs.set(`default ${blob}`, picture);
    const html = Buffer.from('<p>Grüße</p><img src="cid:logo">');
    on.blobs.set(`default ${'b'.repeat(64)}`, html);
    const service = await on.start(server.port);
    const message = queued(1, 'ada');
    message.envelope.to = ['ada@example.com', 'copy@example.com', 'hidden@example.com'];
    message.mail = {
      ...message.mail,
      to: { email: 'ada@example.com', name: 'Lovelace, Ada' },
      cc: [{ email: 'copy@example.com' }],
      subject: '🎉'.repeat(127),
      text: '.\n..two dots\nfrom ü to 🐘\n' + 'long '.repeat(400),
      html: { blob: 'b'.repeat(64), size: html.length },
      attachments: [
        { blob, size: picture.length, file_name: 'Logo, größer.png', content_type: 'image/png', cid: 'logo' },
      ],
    };
    await service.take(message);
    await until('taken', () => server.taken.length === 1);
    const [mail] = server.taken;
    expect(mail!.to).toEqual(message.envelope.to);
    expect(mail!.raw.toString()).not.toContain('hidden@');
    const parsed = await PostalMime.parse(mail!.raw);
    expect(parsed).toMatchObject({
      messageId: message.mail.message_id,
      subject: message.mail.subject,
      to: [{ address: 'ada@example.com', name: 'Lovelace, Ada' }],
      cc: [{ address: 'copy@example.com' }],
    });
    expect(parsed.text!.replace(/\r\n/g, '\n').trimEnd()).toBe((message.mail.text as string).trimEnd());
    expect(parsed.html!.trim()).toBe(html.toString());
    expect(parsed.attachments).toHaveLength(1);
    expect(parsed.attachments[0]).toMatchObject({ filename: 'Logo, größer.png', related: true, contentId: '<logo>' });
    expect(Buffer.from(parsed.attachments[0]!.content as ArrayBuffer).equals(picture)).toBe(true);
  });
});
