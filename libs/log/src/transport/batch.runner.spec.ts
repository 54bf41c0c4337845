import { TOPICS } from '@lettermill/events';
import { DeadLetters } from '../deadletters/dead.letters';
import { SILENT_LOGGER } from '../log.lines';
import { LogFailed, LogUnavailable, type EventLog, type LogRecord } from '../log.port';
import { LogWorkspace } from '../testing/disk';
import { BatchRunner } from './batch.runner';

describe('a poison record', () => {
  const workshop = new LogWorkspace();
  beforeEach(() => workshop.begin());
  afterEach(() => workshop.end());

  const lettersIn = async (log: EventLog) => {
    const partitions = await log.positions('any', [TOPICS.deadLetter]);
    return (await Promise.all(partitions.map(({ partition }) => log.read(TOPICS.deadLetter, partition, 0, 10)))).flat();
  };

  it('becomes a dead letter without its content when it is too large for this log; others keep theirs', async () => {
    const log = await workshop.open({ maxRecordBytes: 1000 });
    const record = (position: number, size: number): LogRecord => {
      return {
        topic: 't',
        partition: 3,
        position,
        appendedAt: 0,
        key: 'k',
        value: Buffer.alloc(size, 'x'),
        headers: {},
      };
    };
    const records = [record(0, 900), record(1, 2000), record(2, 5)];
    const batch = { topic: 't', partition: 3, records, stopping: false, heartbeat: () => Promise.resolve() };
    await new BatchRunner({ log, group: 'g', lines: SILENT_LOGGER }, batch, () => Promise.resolve()).run();
    const sizes = (await lettersIn(log)).map(({ headers, value }) => [
      headers['origin-offset'],
      value.length,
      headers['content-left-out'],
      headers['origin-partition'],
    ]);
    expect(sizes.sort()).toEqual([
      ['0', 900, undefined, '3'],
      ['1', 0, '2000', '3'],
      ['2', 5, undefined, '3'],
    ]);
    const letters = new DeadLetters(log);
    const { data } = await letters.list({}, 10);
    const large = data.find(({ content }) => content === 'left_out')!;
    expect(large).toMatchObject({ size: 2000, origin: { topic: 't', partition: 3, offset: 1 } });
    expect(await letters.decide('redriven', { ids: [large.id] })).toEqual({
      done: [],
      refused: [{ id: large.id, why: 'content_left_out' }],
    });
    expect((await letters.decide('discarded', { ids: [large.id] })).done).toEqual([large.id]);
  });

  it.each([
    ['the log is lost', new LogFailed('lost'), false],
    ['the service is being stopped', new LogUnavailable('away'), true],
  ])('is not retried as a dead letter forever: %s', async (_, error, stopping) => {
    const append = jest.fn(() => Promise.reject(error));
    const record: LogRecord = {
      topic: 't',
      partition: 0,
      position: 0,
      appendedAt: 0,
      key: 'k',
      value: Buffer.from('x'),
      headers: {},
    };
    const batch = { topic: 't', records: [record], stopping, heartbeat: () => Promise.resolve() };
    const options = { log: { append } as unknown as EventLog, group: 'g', lines: SILENT_LOGGER };
    await expect(new BatchRunner(options, batch, () => Promise.resolve()).run()).rejects.toBe(error);
    expect(append).toHaveBeenCalledTimes(1);
  });

  it('is left with the rest of its batch to the member that gets the partitions, if there is more of it than is parsed at once', async () => {
    const append = jest.fn(() => Promise.resolve());
    const recordOf = (position: number, value: string): LogRecord => {
      return { topic: 't', partition: 0, position, appendedAt: 0, key: 'k', value: Buffer.from(value), headers: {} };
    };
    const run = (values: string[]) => {
      const batch = { topic: 't', records: values.map((value, at) => recordOf(at, value)), stopping: true };
      const options = { log: { append } as unknown as EventLog, group: 'g', lines: SILENT_LOGGER };
      const heartbeat = () => Promise.resolve();
      return new BatchRunner(options, { ...batch, heartbeat }, () => Promise.resolve()).run();
    };
    const large = `[${'0,'.repeat(70_000)}0]`;
    await expect(run([large, large])).rejects.toBeInstanceOf(LogUnavailable);
    expect(append).not.toHaveBeenCalled();
    await run(['x', 'y']);
    expect(append).toHaveBeenCalledTimes(1);
  });

  it('becomes a dead letter even with the largest headers a record may have, and does not stop the group', async () => {
    const log = await workshop.open({});
    await log.append([{ topic: 't', key: 'k', value: 'no event', headers: { much: 'x'.repeat(65_500) } }]);
    const subscription = await log.subscribe({
      group: 'g',
      topics: ['t'],
      onBatch: (batch) =>
        new BatchRunner({ log, group: 'g', lines: SILENT_LOGGER }, batch, () => Promise.resolve()).run(),
    });
    expect(await subscription.caughtUp(20_000)).toBe(true);
    expect(await lettersIn(log)).toMatchObject([{ headers: { much: expect.any(String) as string } }]);
  });
});
