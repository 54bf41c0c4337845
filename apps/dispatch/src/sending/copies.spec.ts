import type { EventData } from '@lettermill/events';
import { rawServer, answeringServer } from '../testing/test.servers';
import { queued, until } from '../testing/dispatch.service';
import { dispatchFile, isSettled, typesOf } from '../testing/dispatched';
import { Attempts } from './attempts';

/** The main recipient is `ada`. */
const withCopies = (n: number, ...names: string[]) => {
  const message = queued(n, 'ada');
  const to = [...message.envelope.to, ...names.map((name) => `${name}@example.com`)];
  return { ...message, envelope: { ...message.envelope, to } };
};
type Tried = EventData<'MessageCopiesTried'>;

describe('a deferred copy', () => {
  it('is retried alone with the same bytes, and nobody else gets the mail again', async () => {
    const server = await answeringServer();
    const on = dispatchFile();
    const service = await on.start(server.port);
    await service.take(withCopies(1, 'rcpt-450-once-cc', 'bcc'));
    await until('the copy is there', () => server.taken.length === 2);
    expect(server.taken.map(({ to }) => to)).toEqual([
      ['ada@example.com', 'bcc@example.com'],
      ['rcpt-450-once-cc@example.com'],
    ]);
    expect(server.taken[1]!.raw.equals(server.taken[0]!.raw)).toBe(true);
    await until('told', () => typesOf(on, 1).length === 2);
    expect(typesOf(on, 1)).toEqual(['MessageSent', 'MessageCopiesTried']);
    const { attempt, copies } = on.publishedEvents('MessageCopiesTried')[0]!.data as Tried;
    expect(attempt).toMatchObject({
      number: 2,
      outcome: 'sent',
      recipients: [{ address: 'rcpt-450-once-cc@example.com', reply: { code: 250 } }],
    });
    expect(copies).toEqual({ waiting: [], given_up: [], retry_at: null });
    const [ended] = await service.store.find([{ accountId: 'default', messageId: queued(1, 'ada').message_id }]);
    expect(ended).toMatchObject({ state: 'sent', content: null, attempts: 2 });
  });

  it('is given up with a reason when the retries are used up', async () => {
    const server = await answeringServer();
    const on = dispatchFile();
    const service = await on.start(server.port, { retryDelays: [0.02, 0.02] });
    await service.take(withCopies(1, 'rcpt-450-cc'));
    await until('it ends', () => on.publishedEvents('MessageCopiesTried').length === 2);
    expect(server.taken).toHaveLength(1);
    const { attempt, copies } = on.publishedEvents('MessageCopiesTried')[1]!.data as Tried;
    expect(attempt).toMatchObject({ number: 3, outcome: 'deferred' });
    expect(copies).toMatchObject({
      given_up: [{ address: 'rcpt-450-cc@example.com', code: 'attempts_used_up' }],
      waiting: [],
      retry_at: null,
    });
  });

  it('is retried, not given up, after an attempt that the hop cut off', async () => {
    // The first connection defers the copy and closes, the second closes at its RCPT, the third accepts it.
    let rcpts = 0;
    const scripts = [
      { rcpt: () => ((rcpts += 1) === 2 ? '450 4.2.0 later' : undefined), laterMail: '421 4.3.2 closing' },
      { rcpt: '421 4.3.2 closing' },
    ];
    const server = await rawServer((connection) => scripts[connection - 1] ?? {});
    const on = dispatchFile();
    const service = await on.start(server.port, { retryDelays: [0.02, 0.02, 0.02] });
    await service.take(withCopies(1, 'cc'));
    await until('the copy is there', () => server.contents.length === 2);
    await until(
      'told',
      () => (on.publishedEvents('MessageCopiesTried').at(-1)?.data as Tried)?.copies.retry_at === null,
    );
    const of = (name: string) => server.commands.filter((command) => command === `RCPT TO:<${name}@example.com>`);
    expect(of('ada')).toHaveLength(1);
    const attempts = on.publishedEvents('MessageCopiesTried').map(({ data }) => (data as Tried).attempt);
    expect(attempts).toMatchObject([
      { number: 2, outcome: 'deferred', reply: { code: 421 } },
      { number: 3, outcome: 'sent' },
    ]);
  });

  it('is unknown if the process dies after the final dot, and sent again; its message stays sent', async () => {
    let rcpts = 0;
    const server = await rawServer((connection) =>
      connection === 1
        ? {
            rcpt: () => ((rcpts += 1) === 2 ? '450 4.2.0 later' : undefined),
            dot: () => (rcpts > 2 ? 'hang' : undefined),
          }
        : {},
    );
    const on = dispatchFile();
    const first = await on.start(server.port);
    await first.take(withCopies(1, 'cc'));
    await until('the copy was handed over', () => server.contents.length === 2);
    await until('it is told that the message was sent', isSettled(first));
    await first.die();
    await on.start(server.port, { retryDelays: [0.02, 0.02] });
    await until('the copy is sent', () => server.contents.length === 3);
    await until('all is told', () => on.publishedEvents('MessageCopiesTried').length === 2);
    expect(typesOf(on, 1)).toEqual(['MessageSent', 'MessageCopiesTried', 'MessageCopiesTried']);
    const outcomes = on.publishedEvents('MessageCopiesTried').map(({ data }) => (data as Tried).attempt?.outcome);
    expect(outcomes).toEqual(['unknown', 'sent']);
    expect(new Set(server.contents).size).toBe(1);
    expect(server.commands.filter((command) => command.includes('<ada@'))).toHaveLength(1);
  });

  it('stays as the process that took it over left it, whatever a process that was frozen meanwhile records', async () => {
    const server = await answeringServer();
    const on = dispatchFile();
    const one = await on.start(server.port, { instance: 'one', retryDelays: [0.02, 60] });
    const { store } = one;
    const record = store.record.bind(store);
    let thaw!: () => void;
    const frozen = new Promise<void>((resolve) => (thaw = resolve));
    store.record = async (batch) => {
      if (batch.some(({ claim }) => claim.attempts > 0)) await frozen;
      return record(batch);
    };
    await one.take(withCopies(1, 'rcpt-450-once-cc'));
    await until('the copy is there', () => server.taken.length === 2);
    const two = await on.start(server.port, { instance: 'two', retryDelays: [60, 60] });
    const now = Date.now() + 120_000;
    const [claimed] = await two.store.takeOver({ owner: 'two', now, until: now + 60_000 }, 10);
    await two.app.get(Attempts).recordLost(claimed!);
    const [before] = await two.store.find([claimed!]);
    expect(before).toMatchObject({ state: 'deferred', attempts: 2, rest: { after: 'sent' } });
    thaw();
    await one.stop();
    expect(await two.store.find([claimed!])).toEqual([before]);
    await until('told', isSettled(two));
    const told = on.publishedEvents('MessageCopiesTried').map(({ data }) => (data as Tried).attempt?.outcome);
    expect(told).toEqual(['unknown']);
  });
});
