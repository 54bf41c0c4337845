import 'reflect-metadata';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module, type INestApplication, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { TOPICS } from '@lettermill/events';
import { EmbeddedLog } from '../embedded/embedded.log';
import { LogUnavailable } from '../log.port';
import { Inbox, until } from '../testing/inbox';
import {
  AnsweringController,
  DeadLetterController,
  failedEvent,
  HttpFilter,
  Lines,
  OutcomeController,
  Script,
  script,
  TwinController,
} from '../testing/outcome.app';
import { EventPublisher } from './event.publisher';
import { LogServer } from './log.server';
import { RethrowFilter } from './rethrow.filter';

const WAIT_MS = 20_000;
const TOPIC = TOPICS.messageOutcome;

describe('log transport', () => {
  let directory: string;
  let log: EmbeddedLog;
  let app: INestApplication | undefined;
  let server: LogServer;
  let lines: Lines;
  let publisher: EventPublisher;
  let counted: { handled: number; dead: string[]; retries: number };

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lettermill-transport-'));
    log = await EmbeddedLog.open({ directory, retention: { days: 0, keepWhole: [] }, onFatal: () => {} });
    publisher = new EventPublisher(log);
    script.current = new Script();
    lines = new Lines();
    counted = { handled: 0, dead: [], retries: 0 };
  });
  afterEach(async () => {
    await app?.close();
    app = undefined;
    await log.close();
    await rm(directory, { recursive: true, force: true });
  });

  async function start(controllers: Type[], filters = [new RethrowFilter(new HttpFilter())]): Promise<void> {
    @Module({ controllers })
    class AppModule {}
    server = new LogServer({
      log,
      group: 'tests',
      logger: lines,
      observer: {
        onHandled: (_topic, count) => void (counted.handled += count),
        onDeadLetter: (_topic, code) => void counted.dead.push(code),
        onRetry: () => void (counted.retries += 1),
      },
    });
    app = await NestFactory.create(AppModule, new FastifyAdapter(), { logger: false, abortOnError: false });
    app.useGlobalFilters(...filters);
    app.connectMicroservice({ strategy: server }, { inheritAppConfig: true });
    await app.startAllMicroservices();
    await app.init();
  }

  /** The dead letters, once there are `count`. */
  async function deadLetters(count: number) {
    const inbox = new Inbox();
    const follower = await log.follow({ topics: [TOPICS.deadLetter], onBatch: inbox.take });
    await inbox.waitFor(count);
    await follower.close();
    return inbox.records;
  }

  describe('refuses to start', () => {
    it('with two handlers for one topic', async () => {
      await expect(start([OutcomeController, TwinController])).rejects.toThrow(/message-outcome has two handlers/);
    });

    it('with a handler that returns an answer', async () => {
      await expect(start([AnsweringController])).rejects.toThrow(/events have no answer/);
    });

    it('with a handler of dead letters', async () => {
      await expect(start([DeadLetterController])).rejects.toThrow(/dead letters/);
    });
  });

  describe('a record that is not a valid event', () => {
    it('becomes a dead letter with its origin, and the other records are handled', async () => {
      const broken = { topic: TOPIC, key: 'one key, one partition', headers: { ce_type: 'MessageFailed', ce_id: '1' } };
      await publisher.publish([failedEvent('before')]);
      await log.append([{ ...broken, value: Buffer.from('{"to":"ada@example.com" oops') }]);
      await log.append([{ ...broken, value: Buffer.from('{}'), headers: { ce_type: 'Unheard', ce_id: '2', x: 'y' } }]);
      await log.append([{ ...broken, value: Buffer.from('{"account_id":1}') }]);
      await publisher.publish([failedEvent('after')]);
      await start([OutcomeController]);
      const letters = await deadLetters(3);
      expect(await server.caughtUp([TOPIC], WAIT_MS)).toBe(true);
      expect(script.current.seen.flat()).toEqual(['before', 'after']);
      expect(letters.map(({ headers }) => headers['error-code'])).toEqual([
        'event_not_json',
        'event_type_unknown',
        'event_schema_broken',
      ]);
      expect(letters[0]!.headers.error).toBe('the value is not JSON');
      expect(letters[1]).toMatchObject({ key: broken.key, value: Buffer.from('{}') });
      expect(letters[1]!.headers).toMatchObject({
        ce_type: 'Unheard',
        x: 'y',
        'origin-topic': TOPIC,
        'origin-partition': expect.stringMatching(/^\d+$/) as string,
        'origin-offset': '2',
        group: 'tests',
      });
      expect(counted).toEqual({ handled: 5, dead: letters.map(({ headers }) => headers['error-code']), retries: 0 });
      expect(JSON.stringify(lines.lines)).not.toContain('ada@example.com');
    });
  });

  describe('a handler that throws', () => {
    it('loses only the events that it cannot handle', async () => {
      script.current.act = ({ events }) => {
        if (events.some(({ id }) => id === 'id/3' || id === 'id/6')) {
          throw Object.assign(new Error('no way for "secret", bob@example.com'), { code: 'too_odd' });
        }
      };
      await publisher.publish(Array.from({ length: 9 }, (_, i) => failedEvent(String(i), 'a secret')));
      await start([OutcomeController]);
      const letters = await deadLetters(2);
      expect(await server.caughtUp([TOPIC], WAIT_MS)).toBe(true);
      expect(letters.map(({ headers }) => headers.ce_id)).toEqual(['id/3', 'id/6']);
      expect(letters[0]!.headers).toMatchObject({ 'error-code': 'too_odd', error: 'Error: no way for …, …' });
      const accepted = script.current.seen.filter((ids) => !ids.includes('3') && !ids.includes('6')).flat();
      expect(accepted).toEqual(['0', '1', '2', '4', '5', '7', '8']);
      const dead = lines.lines.filter(({ level }) => level === 'error');
      expect(dead.map(({ fields }) => fields)).toMatchObject([{ code: 'too_odd' }, { code: 'too_odd' }]);
      expect(JSON.stringify(lines.lines)).not.toMatch(/secret|bob@/);
    });

    it('is called again when the fault is transient', async () => {
      let faults = 2;
      script.current.act = async ({ heartbeat }) => {
        await heartbeat();
        if ((faults -= 1) >= 0) throw Object.assign(new Error('away'), { retryable: true });
      };
      await publisher.publish([failedEvent('1'), failedEvent('2')]);
      await start([OutcomeController]);
      expect(await server.caughtUp([TOPIC], WAIT_MS)).toBe(true);
      expect(script.current.seen).toEqual([
        ['1', '2'],
        ['1', '2'],
        ['1', '2'],
      ]);
      expect(counted).toEqual({ handled: 2, dead: [], retries: 2 });
      expect(lines.lines.map(({ fields }) => fields)).toMatchObject([{ detail: 'away' }, { detail: 'away' }]);
    });

    it('makes no dead letter of a fault that Nest hid', async () => {
      script.current.act = () => {
        throw new Error('hidden');
      };
      await publisher.publish([failedEvent('1')]);
      await start([OutcomeController], []);
      await until(() => counted.retries > 1);
      expect(counted.dead).toEqual([]);
      expect(lines.lines[0]!.text).toMatch(/RethrowFilter/);
    });

    it('leaves its batch to the next start when the service stops', async () => {
      script.current.act = () => {
        throw Object.assign(new Error('away'), { retryable: true });
      };
      await publisher.publish([failedEvent('1')]);
      await start([OutcomeController]);
      await until(() => counted.retries > 0);
      await app!.close();
      script.current = new Script();
      await start([OutcomeController]);
      expect(await server.caughtUp([TOPIC], WAIT_MS)).toBe(true);
      expect(script.current.seen).toEqual([['1']]);
    });
  });

  it('moves on only after the dead letters are durable', async () => {
    const append = log.append.bind(log);
    let refusals = 2;
    log.append = (records) => {
      if (records[0]?.topic !== TOPICS.deadLetter || (refusals -= 1) < 0) return append(records);
      return Promise.reject(new LogUnavailable('away'));
    };
    await log.append([{ topic: TOPIC, key: 'k', headers: {}, value: Buffer.from('?') }]);
    await start([OutcomeController]);
    expect(await server.caughtUp([TOPIC], WAIT_MS)).toBe(true);
    expect(refusals).toBeLessThan(0);
    expect(await deadLetters(1)).toHaveLength(1);
    expect(counted.retries).toBe(2);
  });

  it('hands over events as they were published, and waits for the handler', async () => {
    let done = 0;
    script.current.act = async () => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      done += 1;
    };
    await start([OutcomeController]);
    const event = failedEvent('1');
    await publisher.publish([event]);
    expect(await server.caughtUp([TOPIC], WAIT_MS)).toBe(true);
    expect(done).toBe(1);
    const [batch] = script.current.batches;
    expect(batch).toMatchObject({ topic: TOPIC, stopping: false });
    expect(batch!.events[0]).toMatchObject({ ...event, topic: TOPIC, position: 0 });
  });

  it('reads no topic without a handler, and does not wait for it', async () => {
    await start([OutcomeController]);
    await log.append([{ topic: TOPICS.messageQueued, key: 'k', headers: {}, value: Buffer.from('?') }]);
    expect(await server.caughtUp([TOPICS.messageQueued], 0)).toBe(true);
    const positions = await log.positions('tests', [TOPICS.messageQueued]);
    expect(positions.reduce((sum, { lag }) => sum + lag, 0)).toBe(1);
  });

  it('leaves HTTP errors to the filter for HTTP', async () => {
    await start([OutcomeController]);
    const fastify = app!.getHttpAdapter().getInstance() as {
      inject(url: string): Promise<{ statusCode: number; body: string }>;
    };
    const answer = await fastify.inject('/broken');
    expect([answer.statusCode, answer.body]).toEqual([418, '{"said":"over HTTP"}']);
  });

  it('finishes the batch in progress when the application closes', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    script.current.act = () => held;
    await publisher.publish([failedEvent('1')]);
    await start([OutcomeController]);
    await until(() => script.current.batches.length > 0);
    const closing = app!.close();
    await until(() => script.current.batches[0]!.stopping);
    release();
    await closing;
    const positions = await log.positions('tests', [TOPIC]);
    expect(positions.every(({ lag }) => lag === 0)).toBe(true);
  });
});
