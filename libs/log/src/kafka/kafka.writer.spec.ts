import { LogUnavailable, RecordTooLarge, type NewRecord } from '../log.port';
import type { KafkaClients } from './kafka.client';
import type { KafkaSettings } from './kafka.options';
import { KafkaSender, NeverConnected } from './kafka.sender';
import { KafkaWriter } from './kafka.writer';
import { wireBytes, type Placed } from './produce.pack';
import type { TopicBook, TopicFacts } from './topic.book';

const MIB = 1024 * 1024;

describe('an append that could not connect to a broker', () => {
  afterEach(() => jest.restoreAllMocks());

  /** The brokers take `taken` requests before they are gone. */
  const appendTo = async (taken: number, records: NewRecord[]): Promise<unknown> => {
    const facts = { name: 't', partitions: 1, batchBytes: 3 * MIB };
    const topics = { of: () => Promise.resolve(facts), forget: () => undefined };
    const settings = {
      maxRecordBytes: 4 * MIB,
      maxWaitingBytes: 64 * MIB,
      retention: { days: 1, keepWhole: new Array<string>() },
    };
    const writer = new KafkaWriter(settings as KafkaSettings, {} as KafkaClients, topics as unknown as TopicBook);
    const send = jest.spyOn(KafkaSender.prototype, 'send').mockRejectedValue(new NeverConnected('none'));
    for (let n = 0; n < taken; n += 1) send.mockResolvedValueOnce(undefined);
    return writer.append(records).catch((error: unknown) => error);
  };
  const large = (): NewRecord => ({ topic: 't', key: 'k', value: 'x'.repeat(2 * MIB), headers: {} });

  it('is reported as unwritten', async () => {
    const fault = await appendTo(0, [large(), large()]);
    expect(fault).toBeInstanceOf(LogUnavailable);
    expect(fault).toMatchObject({ unwritten: true });
  });

  it('is not reported as unwritten once a part of it is on the log', async () => {
    expect(await appendTo(1, [large(), large()])).toMatchObject({ unwritten: false });
    expect(await appendTo(2, [large(), large()])).toBeUndefined();
  });
});

/** Brokers whose requests the test ends one by one, and whose topic has other facts each time it is looked up. */
class Brokers {
  readonly sent: Placed[][] = [];
  readonly names: string[] = [];
  readonly ends: { take(): void; refuse(type?: string): void }[] = [];
  looked = 0;
  private known: Promise<TopicFacts> | undefined;

  constructor(private readonly facts: (Pick<TopicFacts, 'partitions'> & Partial<TopicFacts>)[]) {
    jest.spyOn(KafkaSender.prototype, 'send').mockImplementation((name, records) => {
      this.names.push(name);
      this.sent.push(records);
      return new Promise<void>((resolve, reject) => {
        this.ends.push({ take: resolve, refuse: (type) => reject(Object.assign(new Error(type), { type })) });
      });
    });
  }

  writer(maxWaitingBytes = 64 * MIB): KafkaWriter {
    const topics = {
      of: () => (this.known ??= Promise.resolve({ name: 'p-t', batchBytes: MIB, ...this.facts[this.looked++]! })),
      forget: () => (this.known = undefined),
    };
    const retention = { days: 1, keepWhole: ['whole'] };
    const settings = { maxRecordBytes: 4 * MIB, maxWaitingBytes, retention } as KafkaSettings;
    return new KafkaWriter(settings, {} as KafkaClients, topics as unknown as TopicBook);
  }

  get values(): unknown[][] {
    return this.sent.map((records) => records.map(({ record }) => record.value));
  }
}

const turn = () => new Promise(setImmediate);

describe('appends to one topic', () => {
  afterEach(() => jest.restoreAllMocks());
  const record = (value: string): NewRecord => ({ topic: 't', key: 'k8', value, headers: {} });

  it('are sent one request at a time and keep their order, even when the topic is looked up again', async () => {
    const brokers = new Brokers([{ partitions: 1 }, { partitions: 4 }]);
    const writer = brokers.writer();
    const first = writer.append([record('first')]).catch((error: unknown) => error);
    await turn();
    const second = writer.append([record('second')]);
    await turn();
    brokers.ends[0]!.refuse('NOT_ACKNOWLEDGED');
    expect(await first).toMatchObject({ code: 'log_unavailable', unwritten: false });
    const third = writer.append([record('third')]);
    await turn();
    expect(brokers.values).toEqual([['first'], ['second']]);
    brokers.ends[1]!.take();
    await second;
    await turn();
    brokers.ends[2]!.take();
    await third;
    expect(brokers.values).toEqual([['first'], ['second'], ['third']]);
    expect(brokers.sent.map(([placed]) => placed!.partition)).toEqual([0, 2, 2]);
    expect(brokers.looked).toBe(2);
  });

  it('keep a redriven record of a compacted topic apart from its key, in the partition of that key', async () => {
    const brokers = new Brokers([{ partitions: 64 }]);
    const writer = brokers.writer();
    const headers = { ce_id: 'e', 'redrive-group': 'renderer' };
    const records = [{}, headers].map((some) => ({
      ...record('v'),
      topic: 'whole',
      headers: some as Record<string, string>,
    }));
    const appending = writer.append(records);
    await turn();
    brokers.ends[0]!.take();
    await appending;
    const [plain, redriven] = brokers.sent[0]!;
    expect([plain!.record.key, redriven!.record.key]).toEqual(['k8', 'k8#redrive:renderer:e']);
    expect(redriven!.partition).toBe(plain!.partition);
  });

  it('share the next request while one is in progress, and succeed if they were whole before a fault', async () => {
    const brokers = new Brokers([{ partitions: 1, batchBytes: 1_000 }]);
    const writer = brokers.writer();
    const [one, two, three] = [record('1'.repeat(700)), record('2'), record('3'.repeat(700))];
    const first = writer.append([record('first')]);
    await turn();
    const rest = Promise.allSettled([writer.append([one]), writer.append([two]), writer.append([three])]);
    await turn();
    brokers.ends[0]!.take();
    await first;
    await turn();
    brokers.ends[1]!.take();
    await turn();
    brokers.ends[2]!.refuse('NOT_LEADER_FOR_PARTITION');
    expect(brokers.values).toEqual([['first'], [one.value, two.value], [three.value]]);
    expect(await rest).toMatchObject([
      { status: 'fulfilled' },
      { status: 'fulfilled' },
      { status: 'rejected', reason: { message: 'p-t could not be written to (NOT_LEADER_FOR_PARTITION)' } },
    ]);
    expect(brokers.names).toEqual(['p-t', 'p-t', 'p-t']);
  });

  it.each([
    ['MESSAGE_TOO_LARGE', 2],
    ['UNKNOWN_TOPIC_OR_PARTITION', 2],
    ['NOT_ACKNOWLEDGED', 2],
    ['NOT_ENOUGH_REPLICAS', 1],
  ])('look up the topic again only after a fault that a changed topic may cause: %s', async (type, looked) => {
    const brokers = new Brokers([{ partitions: 1 }, { partitions: 1 }]);
    const writer = brokers.writer();
    const first = writer.append([record('first')]).catch((error: unknown) => error);
    await turn();
    brokers.ends[0]!.refuse(type);
    expect(await first).toBeInstanceOf(LogUnavailable);
    void writer.append([record('second')]);
    await turn();
    expect([brokers.sent.length, brokers.looked]).toEqual([2, looked]);
  });

  it('are refused when a record is larger than the topic allows', async () => {
    const size = wireBytes(record('x'));
    const brokers = new Brokers([{ partitions: 1, batchBytes: size }]);
    const writer = brokers.writer();
    await expect(writer.append([record('xy')])).rejects.toBeInstanceOf(RecordTooLarge);
    void writer.append([record('x')]);
    await turn();
    expect(brokers.values).toEqual([['x']]);
  });

  it('are refused as unwritten while too many bytes wait; finished ones make room, and one alone always fits', async () => {
    const size = wireBytes(record('x'));
    const brokers = new Brokers([{ partitions: 1 }]);
    const writer = brokers.writer(2 * size);
    const both = Promise.allSettled(['x', 'y'].map((value) => writer.append([record(value)])));
    await expect(writer.append([record('z')])).rejects.toMatchObject({ code: 'log_unavailable', unwritten: true });
    await turn();
    brokers.ends[0]!.refuse('NOT_ENOUGH_REPLICAS');
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(brokers.values).toEqual([['x', 'y']]);
    void writer.append([record('x'.repeat(size * 2))]);
    await turn();
    expect(brokers.sent).toHaveLength(2);
  });

  const ALL = ['rejected', 'rejected', 'rejected'];
  it.each([
    ['no broker is available: each fails only after its own time', undefined, 5_000, ['first', 'late'], ALL],
    ['the brokers refuse for long', 'NOT_ENOUGH_REPLICAS', 10_000, ['first', 'late'], ALL],
    ['the brokers refuse, as they may soon accept', 'NOT_ENOUGH_REPLICAS', 9_999, ['first', 'one'], ['rejected']],
    ['one request is too large, as others are not', 'MESSAGE_TOO_LARGE', 60_000, ['first', 'one'], ['rejected']],
  ])('do not all wait for one request after another when %s', async (_what, type, waitedMs, sent, settled) => {
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const brokers = new Brokers([{ partitions: 1 }, { partitions: 1 }]);
    const writer = brokers.writer();
    const half = (name: string) => record(name.padEnd(MIB * 0.6));
    const ended: PromiseSettledResult<void>[] = [];
    const append = (name: string) =>
      void Promise.allSettled([writer.append([half(name)])]).then((all) => ended.push(...all));
    for (const name of ['first', 'one', 'two']) append(name);
    await turn();
    now = 1;
    append('late');
    await turn();
    now = waitedMs;
    brokers.ends[0]!.refuse(type);
    await turn();
    expect(brokers.values.map(([value]) => (value as string).trim())).toEqual(sent);
    expect(ended.slice(0, 3).map(({ status }) => status)).toEqual(settled);
    expect(ended.slice(1)).toMatchObject(settled.slice(1).map(() => ({ reason: { unwritten: true } })));
  });

  it('that have waited long enough do not wait for the request that the later ones share', async () => {
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const brokers = new Brokers([{ partitions: 1 }]);
    const writer = brokers.writer();
    const first = writer.append([record('first')]).catch((error: unknown) => error);
    await turn();
    const early = writer.append([record('early')]).catch((error: unknown) => error);
    await turn();
    now = 4_000;
    const late = writer.append([record('late')]).catch((error: unknown) => error);
    await turn();
    now = 6_000;
    brokers.ends[0]!.refuse();
    expect(await first).toMatchObject({ code: 'log_unavailable' });
    expect(await early).toMatchObject({ code: 'log_unavailable', unwritten: true });
    await turn();
    expect(brokers.values).toEqual([['first'], ['late']]);
    // Each is told how its own request ended.
    brokers.ends[1]!.refuse();
    expect(await late).toMatchObject({ code: 'log_unavailable' });
  });

  it('are packed into requests of about 1 MiB, however much waits', async () => {
    const brokers = new Brokers([{ partitions: 1, batchBytes: 3 * MIB }]);
    const writer = brokers.writer();
    void writer.append([record('first')]);
    await turn();
    const [one, two] = ['1', '2'].map((digit) => record(digit.repeat(0.6 * MIB)));
    void writer.append([one!]);
    void writer.append([two!]);
    await turn();
    brokers.ends[0]!.take();
    await turn();
    brokers.ends[1]!.take();
    await turn();
    expect(brokers.values).toEqual([['first'], [one!.value], [two!.value]]);
  });

  it('end before the connections are closed', async () => {
    const brokers = new Brokers([{ partitions: 1 }]);
    const close = jest.spyOn(KafkaSender.prototype, 'close').mockResolvedValue(undefined);
    const writer = brokers.writer();
    const first = writer.append([record('first')]);
    const closing = writer.close();
    await turn();
    expect(close).not.toHaveBeenCalled();
    brokers.ends[0]!.take();
    await Promise.all([first, closing]);
    expect(close).toHaveBeenCalledTimes(1);
  });
});
