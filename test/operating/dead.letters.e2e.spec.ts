import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOPICS } from '../../libs/events/src';
import { EmbeddedLog, type NewRecord } from '../../libs/log/src';
import { kafkaLogs, newTopicPrefix } from '../../libs/log/src/testing/brokers';
import { lettermillCommand, type CommandResult } from './command.line';
import { installedWithSink } from '../installations/installed';
import { waitFor } from '../installations/lettermill';

interface DeadLetter {
  id: string;
  code: string;
  group: string;
  origin: { topic: string };
}
const parseList = ({ out }: CommandResult) => JSON.parse(out) as { total: number; data: DeadLetter[] };

const poisonRecord = (value: string): NewRecord => ({
  topic: TOPICS.messageQueued,
  key: 'default:email:eve@example.com',
  headers: { ce_id: 'poison/queued', ce_type: 'MessageQueued', ce_source: '/lettermill/renderer' },
  value,
});

describe('dead letters on the command line', () => {
  const command = (...args: string[]) => lettermillCommand({ DATA_DIR: lettermill.dataDir }, 'dead-letters', ...args);
  const { lettermill } = installedWithSink({ RATE_LIMIT: '0' });
  beforeAll(() => lettermill.launch('order'));

  async function appendToLog(...records: NewRecord[]): Promise<void> {
    const directory = join(lettermill.dataDir, 'log');
    const log = await EmbeddedLog.open({ directory, retention: { days: 0, keepWhole: [] }, onFatal: () => {} });
    await log.append(records);
    await log.close();
  }

  it('reports that there are none, whether the process runs or not', async () => {
    expect(await command('list')).toEqual({ code: 0, out: 'No dead letters.\n', err: '' });
    // There is nothing to confirm.
    expect(await command('discard', '--all')).toEqual({ code: 0, out: '0 discarded\n', err: '' });
    expect((await stat(join(lettermill.dataDir, 'control.json'))).mode & 0o077).toBe(0);
    expect(await lettermill.stop('SIGTERM')).toBe(0);
    await expect(stat(join(lettermill.dataDir, 'control.json'))).rejects.toThrow();
    expect(await command('list')).toEqual({ code: 0, out: 'No dead letters.\n', err: '' });
  }, 300_000);

  it('shows poison records of the running process, which goes on sending mail', async () => {
    await appendToLog(poisonRecord('{"to": "eve@example.com'), poisonRecord('{"account_id":"default"}'));
    await lettermill.start();
    const { body } = await lettermill.send({ campaign: 'order', to: 'fine@example.com' });
    await lettermill.until(body.messages[0]!.message_id, 'sent');
    // The tracker reads the topic, too.
    const all = await waitFor(
      async () => {
        const { total, data } = parseList(await command('list', '--json'));
        return total === 4 ? data : undefined;
      },
      'the dead letters',
      60_000,
    );
    const dispatch = all.filter(({ group }) => group === 'dispatch').map(({ code }) => code);
    expect(dispatch.sort()).toEqual(['event_not_json', 'event_schema_broken']);
    const narrow = await command(
      'list',
      '--group',
      'dispatch',
      '--code',
      'event_not_json',
      '--topic',
      'message-queued',
    );
    expect(narrow.out.trim().split('\n')).toHaveLength(2);
    expect(narrow.out).not.toContain('eve@');
    const id = all.find(({ group, code }) => group === 'dispatch' && code === 'event_not_json')!.id;
    const shown = await command('show', id);
    expect(shown.code).toBe(0);
    expect(shown.out).toContain('{"to": "eve@example.com');
    expect(JSON.parse((await command('show', id, '--json')).out)).toMatchObject({
      id,
      value: { text: expect.anything() as string },
    });
  }, 300_000);

  it('requires --yes for bulk changes, and refuses wrong arguments', async () => {
    const bulk = await command('discard', '--all', '--group', 'tracker');
    expect(bulk).toMatchObject({ code: 2, out: '' });
    expect(bulk.err).toMatch(/2 dead letters \(group tracker\) are to be discarded.*--yes/);
    const codes = await Promise.all([
      command('redrive').then(({ code }) => code),
      command('redrive', '0:0', '--all').then(({ code }) => code),
      command('list', '--since', 'yesterday').then(({ code }) => code),
      command('bury').then(({ code }) => code),
      command('show', '0:999').then(({ code }) => code),
      command('discard', '0:999').then(({ code }) => code),
    ]);
    expect(codes).toEqual([2, 2, 2, 2, 3, 3]);
    expect(parseList(await command('list', '--json')).total).toBe(4);
  }, 300_000);

  it('discards for good, and redrives for the consumer group of the dead letter alone', async () => {
    const gone = await command('discard', '--all', '--yes', '--group', 'tracker', '--since', '1h');
    expect(gone).toEqual({ code: 0, out: '2 discarded\n', err: '' });
    const [odd] = parseList(await command('list', '--json', '--code', 'event_not_json')).data;
    expect(await command('redrive', odd!.id)).toEqual({ code: 0, out: '1 redriven\n', err: '' });
    expect((await command('redrive', odd!.id)).out).toBe(`0 redriven\n${odd!.id}: it has already been redriven\n`);
    const again = await waitFor(
      async () => {
        const { data } = parseList(await command('list', '--json', '--code', 'event_not_json'));
        return data[0];
      },
      'the dead letter to come back',
      60_000,
    );
    expect(again.group).toBe('dispatch');
    expect(again.id).not.toBe(odd!.id);
  }, 300_000);

  it('works on the data of a process that was killed', async () => {
    await lettermill.stop('SIGKILL');
    expect(parseList(await command('list', '--json')).total).toBe(2);
    expect((await command('discard', '--all', '--yes')).out).toBe('2 discarded\n');
    await lettermill.start();
    expect((await command('list')).out).toBe('No dead letters.\n');
  }, 300_000);

  it('reports a missing log, unavailable brokers and a wrong configuration', async () => {
    const nowhere = await mkdtemp(join(tmpdir(), 'lettermill-none-'));
    const list = (environment: Record<string, string>) => lettermillCommand(environment, 'dead-letters', 'list');
    // At the same time, because one of the commands waits for its brokers.
    const [none, away, wrong] = await Promise.all([
      list({ DATA_DIR: nowhere }),
      list({ KAFKA_BROKERS: '127.0.0.1:1' }),
      list({ KAFKA_BROKERS: 'x:1', KAFKA_TLS: 'perhaps' }),
    ]);
    expect(none).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/contains no log/) as string });
    expect(away).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/can't be reached/) as string });
    expect(wrong).toMatchObject({ code: 78, err: expect.stringMatching(/KAFKA_TLS/) as string });
    await rm(nowhere, { recursive: true });
  }, 300_000);
});

const brokers = process.env.KAFKA_BROKERS;
if (brokers === undefined) {
  it('left out: KAFKA_BROKERS is not set', () => expect(process.env.KAFKA_BROKERS).toBeUndefined());
} else {
  const { opening, closeAll } = kafkaLogs(brokers);
  afterEach(closeAll);

  it('lists and redrives dead letters on Kafka', async () => {
    const topicPrefix = newTopicPrefix();
    const warned: string[] = [];
    const warn = (_fields: object, text: string) => void warned.push(text);
    const open = () =>
      opening({
        topicPrefix,
        topics: [TOPICS.deadLetter, TOPICS.messageQueued],
        logger: { warn, info: () => {}, error: warn },
      });
    const log = await open();
    const origin = { 'origin-topic': TOPICS.messageQueued, 'origin-partition': '0', 'origin-offset': '7' };
    const died = { ...origin, group: 'dispatch', 'error-code': 'too_odd', error: 'Error: no' };
    const { headers, ...rest } = poisonRecord('{}');
    await log.append([{ ...rest, headers: { ...headers, ...died }, topic: TOPICS.deadLetter }]);
    // RETENTION_DAYS is not that of the services: the command must not change any topic.
    const environment = { KAFKA_BROKERS: brokers, KAFKA_TOPIC_PREFIX: topicPrefix, RETENTION_DAYS: '1' };
    const command = (...args: string[]) => lettermillCommand(environment, 'dead-letters', ...args);
    const { data } = parseList(await command('list', '--json'));
    expect(data).toMatchObject([{ code: 'too_odd', origin: { topic: TOPICS.messageQueued, offset: 7 } }]);
    expect(await command('redrive', '--all', '--yes')).toEqual({ code: 0, out: '1 redriven\n', err: '' });
    expect((await command('list')).out).toBe('No dead letters.\n');
    const partitions = await log.positions('nobody', [TOPICS.messageQueued]);
    const { partition } = partitions.find(({ end }) => end > 0)!;
    const [record] = await log.read(TOPICS.messageQueued, partition, 0, 1);
    expect(record!.headers).toEqual({ ...headers, 'redrive-group': 'dispatch' });
    await open();
    expect(warned).toEqual([]);
  }, 300_000);
}
