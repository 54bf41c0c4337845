import { createHash } from 'node:crypto';
import PostalMime from 'postal-mime';
import type { Event } from '@lettermill/events';
import { StoreUnavailable } from '@lettermill/storage';
import { PRIORITIES } from '../deliveries/deliveries.store';
import { newDelivery } from '../deliveries/delivery.job';
import { hesitantServer, holdingServer, answeringServer } from '../testing/test.servers';
import { messageId, queued, queuedFor, until } from '../testing/dispatch.service';
import { dispatchFile, isSettled } from '../testing/dispatched';
import { DueQueue } from '../due/due.queue';
import { Sender } from './sender';

describe('the sender', () => {
  it('sends high priority at once, and claims no more than soon begin', async () => {
    const server = await holdingServer((to) => !to.endsWith('@warm.example'));
    const on = dispatchFile();
    const time = Date.now();
    const service = await on.start(server.port, { now: () => time });
    // After these, the hop is known to bear ten connections.
    await service.take(...Array.from({ length: 10 }, (_, n) => queuedFor(n + 40, 'warm.example')));
    await until('the first are told', () => on.publishedEvents('MessageSent').length === 10);
    await service.take(
      ...Array.from({ length: 50 }, (_, n) => queuedFor(100 + n, `bulk${n}.example`, { priority: 'bulk' })),
    );
    await until('ten are there', () => server.waiting.length === 10);
    // While the hop was quick, one more per connection was claimed.
    expect(await service.store.countWaiting(100)).toBe(30);
    await service.take(queuedFor(90, 'urgent.example', { priority: 'high' }));
    await until('the urgent one is there', () => server.waiting.some(({ to }) => to === 'ada90@urgent.example'));
    expect(await service.store.countWaiting(100)).toBe(30);
    server.release();
    await until('all are told', () => on.publishedEvents('MessageSent').length === 61);
  });

  it('sends high priority although the only other connection is held up', async () => {
    const server = await holdingServer((to) => to.startsWith('ada2@'));
    const on = dispatchFile();
    const service = await on.start(server.port, { sending: { connections: 1 } });
    await service.take(queuedFor(1, 'warm.example'));
    await until('the first is told', () => on.publishedEvents('MessageSent').length === 1);
    await service.take(queuedFor(2, 'slow.example', { priority: 'bulk' }));
    await until('it is held up', () => server.waiting.length === 1);
    await service.take(queuedFor(3, 'code.example', { priority: 'high' }));
    await until('the urgent is told', () => on.publishedEvents('MessageSent').length === 2);
    server.release();
    await until('all are told', () => on.publishedEvents('MessageSent').length === 3);
  });

  it('sends high priority ahead of other waiting messages even if it found no place', async () => {
    const server = await holdingServer((to) => !to.endsWith('@warm.example'));
    const on = dispatchFile();
    const service = await on.start(server.port, { sending: { connections: 1 } });
    await service.take(queuedFor(1, 'warm.example'));
    await until('the first is told', () => on.publishedEvents('MessageSent').length === 1);
    const bulk = Array.from({ length: 40 }, (_, n) => queuedFor(100 + n, `bulk${n}.example`, { priority: 'bulk' }));
    await service.take(...bulk);
    await until('the first of the others is there', () => server.waiting.length === 1);
    for (const n of [2, 3]) await service.take(queuedFor(n, 'code.example', { priority: 'high' }));
    await until('there is no place left', () => server.waiting.length === 3);
    await service.take(...[4, 5, 6, 7].map((n) => queuedFor(n, 'code.example', { priority: 'high' })));
    server.release();
    await until('all are told', () => on.publishedEvents('MessageSent').length === 47);
    const told = on.publishedEvents('MessageSent').map(({ data }) => (data as { message_id: string }).message_id);
    expect(told.indexOf(messageId(7))).toBeLessThan(30);
  });

  it('sends high priority without waiting for a read of the queue, and each once', async () => {
    const server = await answeringServer();
    const on = dispatchFile();
    const service = await on.start(server.port);
    await service.take(queuedFor(1, 'warm.example'));
    await until('the first is told', () => on.publishedEvents('MessageSent').length === 1);
    let read!: () => void;
    const reading = new Promise<void>((resolve) => (read = resolve));
    const due = service.store.due.bind(service.store);
    jest.spyOn(service.store, 'due').mockImplementation(async (...args) => {
      const found = await due(...args);
      await reading;
      return found;
    });
    // Inserted as by another process: it is found in the queue.
    const bulk = { data: queuedFor(2, 'bulk.example', { priority: 'bulk' }) } as Event<'MessageQueued'>;
    await service.store.insert([newDelivery(bulk, Date.now())]);
    service.app.get(Sender).noteDue(PRIORITIES.bulk);
    const urgent = [
      queuedFor(3, 'code.example', { priority: 'high' }),
      queuedFor(4, 'code.example', { priority: 'high' }),
    ];
    await service.take(...urgent);
    await service.take(...urgent);
    await until('the urgent are told', () => on.publishedEvents('MessageSent').length === 3);
    expect(server.taken.map(({ to }) => to[0]).sort()).toEqual([
      'ada1@warm.example',
      'ada3@code.example',
      'ada4@code.example',
    ]);
    read();
    await until('all are told', () => on.publishedEvents('MessageSent').length === 4);
    expect(server.taken).toHaveLength(4);
  });

  it('stores and claims new messages in one write if nothing waits before them', async () => {
    const server = await answeringServer();
    const on = dispatchFile();
    const service = await on.start(server.port);
    const claim = jest.spyOn(service.store, 'claim');
    for (let n = 0; n < 3; n += 1) {
      await service.take(queuedFor(n, 'example.org'));
      await until('it is told', () => on.publishedEvents('MessageSent').length === n + 1);
      await until('the queue is at rest', isSettled(service));
    }
    expect(claim.mock.calls.length).toBeLessThanOrEqual(1);
    expect(server.taken).toHaveLength(3);
  });

  it('finds stored messages in the queue if the response of the store was lost', async () => {
    const server = await answeringServer();
    const on = dispatchFile();
    const service = await on.start(server.port);
    await service.take(queuedFor(1, 'example.org'));
    await until('the first is told', () => on.publishedEvents('MessageSent').length === 1);
    await until('the queue is at rest', isSettled(service));
    const lost = jest.spyOn(service.store, 'insertAndClaim').mockImplementation(async (deliveries) => {
      await service.store.insert(deliveries);
      throw new StoreUnavailable('the answer was lost');
    });
    const messages = [queuedFor(2, 'example.org'), queuedFor(3, 'example.org', { priority: 'high' })];
    await expect(service.take(...messages)).rejects.toThrow(StoreUnavailable);
    await until('both are told', () => on.publishedEvents('MessageSent').length === 3);
    lost.mockRestore();
    await service.take(...messages);
    await until('the queue is at rest', isSettled(service));
    expect(server.taken).toHaveLength(3);
  });

  it('notifies the queue when a deferred delivery of a lane is due again', async () => {
    const server = await answeringServer();
    const on = dispatchFile();
    const before = await on.start(server.port);
    const event = {
      ...queuedFor(1, 'slow.example'),
      envelope: { from: 'shop@example.com', to: ['rcpt-450-@slow.example'] },
    };
    await before.take(queuedFor(2, 'warm.example'));
    await until('the first is told', () => on.publishedEvents('MessageSent').length === 1);
    await until('the queue is at rest', isSettled(before));
    // Not due before it has been put into its lane.
    const waits = newDelivery({ data: event } as Event<'MessageQueued'>, Date.now() + 2_000);
    await before.store.insert([waits]);
    await before.store.putAside([waits]);
    await before.stop();
    const putOff = jest.spyOn(DueQueue.prototype, 'putOff');
    const service = await on.start(server.port, { retryDelays: [3_600] });
    await until('it is put off', () => putOff.mock.calls.length === 1);
    const [found] = await service.store.find([waits]);
    expect(found).toMatchObject({ state: 'deferred', attempts: 1 });
    expect(putOff.mock.calls[0]).toEqual([
      expect.objectContaining({ messageId: messageId(1), aside: true }),
      found!.dueAt,
    ]);
    putOff.mockRestore();
  });

  it('reports an attempt that takes long while it is in progress', async () => {
    const server = await hesitantServer();
    const on = dispatchFile();
    const service = await on.start(server.port);
    await service.take(queued(1, 'ada'));
    await until('told', () => on.publishedEvents('MessageSending').length === 1);
    expect(on.publishedEvents()[0]).toMatchObject({
      id: `${messageId(1)}/attempt-1/sending`,
      data: { attempt: 1, next_hop: `127.0.0.1:${server.port}` },
    });
    server.answer();
    await until('sent', () => on.publishedEvents('MessageSent').length === 1);
  });

  it('sends the mail of the event, including attachments and hidden copies', async () => {
    const server = await answeringServer();
    const on = dispatchFile();
    const stored = (bytes: Buffer) => {
      const blob = createHash('sha256').update(bytes).digest('hex');
      on.blobs.set(`default ${blob}`, bytes);
      return { blob, size: bytes.length };
    };
    const picture = Buffer.alloc(70_000, 'png');
    const html = '<p>Grüße</p><img src="cid:logo">';
    const service = await on.start(server.port);
    const message = queued(1, 'ada');
    message.envelope.to = ['ada@example.com', 'copy@example.com', 'hidden@example.com'];
    message.mail = {
      ...message.mail,
      to: { email: 'ada@example.com', name: 'Lovelace, Ada' },
      cc: [{ email: 'copy@example.com' }],
      subject: '🎉'.repeat(127),
      text: '.\n..two dots\nfrom ü to 🐘\n' + 'long '.repeat(400),
      html: stored(Buffer.from(html)),
      attachments: [{ ...stored(picture), file_name: 'Logo, größer.png', content_type: 'image/png', cid: 'logo' }],
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
    expect(parsed.html!.trim()).toBe(html);
    expect(parsed.attachments).toHaveLength(1);
    expect(parsed.attachments[0]).toMatchObject({ filename: 'Logo, größer.png', related: true, contentId: '<logo>' });
    expect(Buffer.from(parsed.attachments[0]!.content as ArrayBuffer).equals(picture)).toBe(true);
  });
});
