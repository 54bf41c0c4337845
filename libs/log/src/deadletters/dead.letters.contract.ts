import { Module, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { encodeEvent, TOPICS, type Event } from '@lettermill/events';
import { LogUnavailable, type EventLog, type LogRecord, type NewRecord } from '../log.port';
import { Inbox, until } from '../testing/inbox';
import { failedEvent, HttpFilter, Lines, OutcomeController, Script, script } from '../testing/outcome.app';
import { LogServer } from '../transport/log.server';
import { RethrowFilter } from '../transport/rethrow.filter';
import { DeadLetters } from './dead.letters';

const TOPIC = TOPICS.messageOutcome;
const KEY = 'one key, one partition';
const WAIT_MS = 30_000;

/** A log with the topics of outcomes and dead letters, for one test. */
export interface DeadLetterHarness {
  log: EventLog;
  reopen(): Promise<EventLog>;
  close(): Promise<void>;
}

@Module({ controllers: [OutcomeController] })
class AppModule {}

/** The consumer rules (docs/concepts.md, events) and what operators do with dead letters, on any log. */
export function deadLettersContract(make: () => Promise<DeadLetterHarness>): void {
  let harness: DeadLetterHarness;
  let log: EventLog;
  let letters: DeadLetters;
  const apps: INestApplication[] = [];

  beforeEach(async () => {
    harness = await make();
    log = harness.log;
    letters = new DeadLetters(log);
    script.current = new Script();
  });
  afterEach(async () => {
    await Promise.all(apps.splice(0).map((app) => app.close()));
    await harness.close();
  });

  async function consume(group = 'tests'): Promise<LogServer> {
    const server = new LogServer({ log, group, logger: new Lines() });
    const app = await NestFactory.create(AppModule, new FastifyAdapter(), { logger: false, abortOnError: false });
    apps.push(app);
    app.useGlobalFilters(new RethrowFilter(new HttpFilter()));
    app.connectMicroservice({ strategy: server }, { inheritAppConfig: true });
    await app.startAllMicroservices();
    await app.init();
    return server;
  }

  const raw = (value: string, headers: Record<string, string>): NewRecord => ({
    topic: TOPIC,
    key: KEY,
    value,
    headers,
  });
  const event = (step: string) => encodeEvent(failedEvent(step) as Event);
  const refuse = (...ids: string[]) => {
    script.current.act = ({ events }) => {
      if (events.some(({ id }) => ids.includes(id.slice(3)))) throw Object.assign(new Error('no'), { code: 'too_odd' });
    };
  };
  const open = async () => (await letters.list({}, 100)).data;

  /** One dead letter of `tests`, about the event `id/odd`. */
  async function oneDead(): Promise<string> {
    refuse('odd');
    await log.append([event('odd')]);
    const server = await consume();
    expect(await server.caughtUp([TOPIC], WAIT_MS)).toBe(true);
    script.current = new Script();
    return (await open())[0]!.id;
  }

  async function all(topic: string): Promise<LogRecord[]> {
    const inbox = new Inbox();
    const follower = await log.follow({ topics: [topic], onBatch: inbox.take });
    expect(await follower.caughtUp(WAIT_MS)).toBe(true);
    await follower.close();
    return inbox.records;
  }

  it('hold every kind of poison record with its origin, while other records are handled', async () => {
    const head = { ce_type: 'MessageFailed', ce_id: 'p/1', x: 'kept' };
    refuse('odd');
    await log.append([
      event('before'),
      raw('{"oops', head),
      raw('{}', { ...head, ce_type: 'Unheard' }),
      raw('{"account_id":1}', head),
      event('odd'),
      event('after'),
    ]);
    const server = await consume();
    expect(await server.caughtUp([TOPIC], WAIT_MS)).toBe(true);
    const fine = script.current.seen.filter((ids) => !ids.includes('odd')).flat();
    expect(fine).toEqual(['before', 'after']);
    const found = (await open()).sort((one, other) => one.origin.offset - other.origin.offset);
    expect(found.map(({ code, origin }) => [origin.offset, code])).toEqual([
      [1, 'event_not_json'],
      [2, 'event_type_unknown'],
      [3, 'event_schema_broken'],
      [4, 'too_odd'],
    ]);
    expect(found[0]).toMatchObject({ group: 'tests', origin: { topic: TOPIC }, size: 6, event: { id: 'p/1' } });
    const shown = await letters.show(found[0]!.id);
    expect(shown).toMatchObject({ key: KEY, value: { text: '{"oops' }, headers: head, decision: null });
  });

  it('are listed newest first, including those of the same batch', async () => {
    await log.append([raw('1', {}), raw('2', {}), raw('3', {})]);
    const server = await consume();
    expect(await server.caughtUp([TOPIC], WAIT_MS)).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 2));
    await log.append([raw('4', {})]);
    expect(await server.caughtUp([TOPIC], WAIT_MS)).toBe(true);
    const offsets = async (limit: number) => (await letters.list({}, limit)).data.map(({ origin }) => origin.offset);
    expect(await offsets(100)).toEqual([3, 2, 1, 0]);
    expect(await offsets(2)).toEqual([3, 2]);
  });

  it('are not made for a transient fault, whose records count as lag until it is over', async () => {
    let away = true;
    script.current.act = () => {
      if (away) throw Object.assign(new Error('away'), { retryable: true });
    };
    await log.append([event('1'), event('2'), event('3')]);
    const server = await consume();
    await until(() => script.current.seen.length > 1);
    const lag = async () => (await log.positions('tests', [TOPIC])).reduce((sum, { lag: left }) => sum + left, 0);
    expect(await lag()).toBe(3);
    away = false;
    expect(await server.caughtUp([TOPIC], WAIT_MS)).toBe(true);
    expect(await lag()).toBe(0);
    expect(await open()).toEqual([]);
  });

  it('are filtered by topic, group, code and time', async () => {
    const id = await oneDead();
    const [entry] = await open();
    const count = async (filter: object) => (await letters.list(filter, 0)).total;
    expect(entry!.id).toBe(id);
    expect(await count({ topic: TOPIC, group: 'tests', code: 'too_odd', since: entry!.at, until: entry!.at })).toBe(1);
    expect(await count({ topic: TOPICS.messageQueued })).toBe(0);
    expect(await count({ group: 'others' })).toBe(0);
    expect(await count({ code: 'odd' })).toBe(0);
    expect(await count({ since: new Date(Date.parse(entry!.at) + 1).toISOString() })).toBe(0);
    expect(await count({ until: new Date(Date.parse(entry!.at) - 1).toISOString() })).toBe(0);
  });

  it('are redriven unchanged and once, only to the group that could not handle them', async () => {
    const id = await oneDead();
    const others = await consume('others');
    expect(await others.caughtUp([TOPIC], WAIT_MS)).toBe(true);
    script.current = new Script();
    expect(await letters.decide('redriven', { ids: [id, id] })).toEqual({ done: [id], refused: [] });
    await until(() => script.current.seen.length > 0);
    expect(await others.caughtUp([TOPIC], WAIT_MS)).toBe(true);
    expect(script.current.seen).toEqual([['odd']]);
    const [first, again] = await all(TOPIC);
    expect(again).toMatchObject({ key: first!.key, value: first!.value, partition: first!.partition });
    expect(again!.headers).toEqual({ ...first!.headers, 'redrive-group': 'tests' });
    expect(await open()).toEqual([]);
    expect(await letters.show(id)).toMatchObject({ decision: 'redriven' });
    expect(await letters.decide('redriven', { ids: [id] })).toEqual({ done: [], refused: [{ id, why: 'redriven' }] });
  });

  it('become dead letters again if they still cannot be handled, and can be redriven again', async () => {
    const id = await oneDead();
    refuse('odd');
    await letters.decide('redriven', { filter: {} });
    while ((await open()).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    const [again] = await open();
    expect(again!.id).not.toBe(id);
    expect(again!.origin.offset).toBe(1);
    script.current = new Script();
    await letters.decide('redriven', { ids: [again!.id] });
    await until(() => script.current.seen.length > 0);
    expect(script.current.seen).toEqual([['odd']]);
    expect(Object.keys((await all(TOPIC))[2]!.headers).filter((name) => name === 'group')).toEqual([]);
  });

  it('are off the list once discarded, also when the log is reopened', async () => {
    const id = await oneDead();
    expect(await letters.decide('discarded', { ids: [id] })).toEqual({ done: [id], refused: [] });
    await Promise.all(apps.splice(0).map((app) => app.close()));
    letters = new DeadLetters(await harness.reopen());
    log = harness.log;
    expect(await open()).toEqual([]);
    expect(await letters.show(id)).toMatchObject({ decision: 'discarded' });
    // Nothing was put back, and the decision itself is not a dead letter.
    expect(await all(TOPIC)).toHaveLength(1);
    const [partition, position] = id.split(':').map(Number) as [number, number];
    expect(await letters.show(`${partition}:${position + 1}`)).toBeUndefined();
    expect(await letters.decide('redriven', { ids: [id] })).toEqual({
      done: [],
      refused: [{ id, why: 'discarded' }],
    });
  });

  it('are decided once, even by concurrent decisions', async () => {
    const id = await oneDead();
    const both = [letters.decide('redriven', { ids: [id] }), letters.decide('discarded', { ids: [id] })];
    expect(await Promise.all(both)).toEqual([
      { done: [id], refused: [] },
      { done: [], refused: [{ id, why: 'redriven' }] },
    ]);
    expect(await letters.show(id)).toMatchObject({ decision: 'redriven' });
  });

  it('stay open when the log becomes unavailable between the redriven record and the decision', async () => {
    const id = await oneDead();
    const away = new DeadLetters({
      follow: (options) => log.follow(options),
      append: (records) =>
        records[0]?.topic === TOPICS.deadLetter ? Promise.reject(new LogUnavailable('away')) : log.append(records),
    } as EventLog);
    await expect(away.decide('redriven', { ids: [id] })).rejects.toThrow('away');
    expect((await open()).map((entry) => entry.id)).toEqual([id]);
    expect((await letters.decide('redriven', { ids: [id] })).done).toEqual([id]);
  });

  it('are not redriven past one that failed: the first fault ends the redrive', async () => {
    await log.append([raw('1', {}), raw('2', {})]);
    const server = await consume();
    expect(await server.caughtUp([TOPIC], WAIT_MS)).toBe(true);
    let appends = 0;
    const failing = new DeadLetters({
      follow: ({ topics, onBatch }) =>
        log.follow({
          topics,
          onBatch: async (batch) => {
            for (const record of batch.records) await onBatch({ ...batch, records: [record] });
          },
        }),
      append: () => Promise.reject(new LogUnavailable(`away ${(appends += 1)}`)),
    } as Partial<EventLog> as EventLog);
    await expect(failing.decide('redriven', { filter: {} })).rejects.toThrow('away 1');
    expect(appends).toBe(1);
  });

  it('are refused with a reason when they are unknown or have no origin', async () => {
    await log.append([{ topic: TOPICS.deadLetter, key: 'k', headers: {}, value: Buffer.from([0xff]) }]);
    const [lost] = await open();
    expect(await letters.decide('redriven', { ids: [lost!.id, '0:999', 'no id'] })).toEqual({
      done: [],
      refused: [
        { id: lost!.id, why: 'no_origin' },
        { id: '0:999', why: 'unknown' },
        { id: 'no id', why: 'unknown' },
      ],
    });
    expect(await letters.show(lost!.id)).toMatchObject({ value: { base64: '/w==' } });
    expect(await letters.show('0:999')).toBeUndefined();
    expect(await letters.show('99999:0')).toBeUndefined();
    expect(await letters.show('no id')).toBeUndefined();
  });
}
