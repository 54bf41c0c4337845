import { LogUnavailable, type NewRecord } from '../log.port';
import type { KafkaClients } from './kafka.client';
import type { KafkaSettings } from './kafka.options';
import { KafkaSender, NeverConnected } from './kafka.sender';
import { KafkaWriter } from './kafka.writer';
import type { TopicBook } from './topic.book';

const MIB = 1024 * 1024;

describe('an append that no broker took', () => {
  afterEach(() => jest.restoreAllMocks());

  /** The brokers take that many requests before they are gone. */
  const appendTo = async (taken: number, records: NewRecord[]): Promise<unknown> => {
    const facts = { name: 't', partitions: 1, batchBytes: 3 * MIB };
    const topics = { of: () => Promise.resolve(facts), forget: () => undefined };
    const settings = { maxRecordBytes: 4 * MIB, maxWaitingBytes: 64 * MIB };
    const writer = new KafkaWriter(settings as KafkaSettings, {} as KafkaClients, topics as unknown as TopicBook);
    const send = jest.spyOn(KafkaSender.prototype, 'send').mockRejectedValue(new NeverConnected('none'));
    for (let n = 0; n < taken; n += 1) send.mockResolvedValueOnce(undefined);
    return writer.append(records).catch((error: unknown) => error);
  };
  const large = (): NewRecord => ({ topic: 't', key: 'k', value: 'x'.repeat(2 * MIB), headers: {} });

  it('is told as not written', async () => {
    const fault = await appendTo(0, [large(), large()]);
    expect(fault).toBeInstanceOf(LogUnavailable);
    expect(fault).toMatchObject({ unwritten: true });
  });

  it('is not, once a part of it is on the log', async () => {
    expect(await appendTo(1, [large(), large()])).toMatchObject({ unwritten: false });
    expect(await appendTo(2, [large(), large()])).toBeUndefined();
  });
});
