import { pause, withTimeout } from '@lettermill/concurrency';
import type { Producer, RecordMetadata } from 'kafkajs';
import { faultType, type KafkaClients } from './kafka.client';
import type { Placed } from './produce.pack';
import { SharedClient } from './shared.client';

const ACKS_OF_ALL_IN_SYNC = -1;
const PRODUCE_TIMEOUT_MS = 10_000;
const MIN_BACKOFF_MS = 100;
/**
 * A producer that has not connected by then is given up. kafkajs tries six times, whatever the producer is told: 25 s if brokers
 * take the connection and say nothing.
 */
const CONNECT_TIMEOUT_MS = 8_000;
/**
 * Longer than kafkajs waits for an answer to the request itself. If the connection ends meanwhile, it opens another one within the same
 * call, which takes as long again where brokers take the connection and say nothing.
 */
const SEND_TIMEOUT_MS = 16_000;
/** No retry begins after this long. */
const RETRY_WINDOW_MS = 5_000;
/** Of one request alone: no try of another one need fail. */
export const TOO_LARGE_ERROR = 'MESSAGE_TOO_LARGE';

/** kafkajs reported a request as sent, but some of its partitions are missing in the answer. */
class NotAcknowledged extends Error {
  readonly code = 'not_acknowledged';
  readonly type = 'NOT_ACKNOWLEDGED';
}

/** None of the tries had a connection, so no broker has seen the request. */
export class NeverConnected extends Error {
  readonly code = 'never_connected';
}

/**
 * Sends requests, each until all in-sync replicas have acknowledged every partition in it.
 *
 * kafkajs' own retries are turned off: it remembers which brokers have answered, and when a partition moves to one of
 * these between two tries, it leaves out the partition's records and reports them as sent; it also leaves out a
 * partition that its metadata lack. So each try sends the whole request, and the answer is checked against it. Records
 * that an earlier try wrote are then on the log twice; consumers recognise them by the id of the event.
 */
export class KafkaSender {
  private readonly producers: SharedClient<Producer>;

  constructor(clients: KafkaClients) {
    this.producers = new SharedClient(() => clients.producer());
  }

  /** `topic` as the brokers name it. Rejects with the last error of kafkajs, or `NeverConnected`. */
  async send(topic: string, records: Placed[]): Promise<void> {
    const deadline = performance.now() + RETRY_WINDOW_MS;
    let hasConnected = false;
    for (let backoffMs = MIN_BACKOFF_MS; ; backoffMs *= 2) {
      try {
        return await this.trySending(topic, records, () => (hasConnected = true));
      } catch (error) {
        const over = faultType(error) === TOO_LARGE_ERROR || performance.now() + backoffMs > deadline;
        if (over) throw hasConnected ? error : new NeverConnected('no broker took a connection', { cause: error });
      }
      await pause(backoffMs);
    }
  }

  close(): Promise<void> {
    return this.producers.close();
  }

  private async trySending(topic: string, records: Placed[], onConnected: () => void): Promise<void> {
    const held = this.producers.take();
    const timestamp = String(Date.now());
    const messages = records.map(({ record: { key, value, headers }, partition }) => {
      return { key, value: Array.isArray(value) ? value.join('') : value, headers, partition, timestamp };
    });
    try {
      const producer = await withTimeout(CONNECT_TIMEOUT_MS, held.client);
      onConnected();
      mustBeAcknowledged(
        records,
        await withTimeout(
          SEND_TIMEOUT_MS,
          producer.send({ topic, messages, acks: ACKS_OF_ALL_IN_SYNC, timeout: PRODUCE_TIMEOUT_MS }),
        ),
      );
    } catch (error) {
      // Not an error that a broker answered: the connections are no longer trusted.
      if (faultType(error) === undefined) this.producers.giveUp(held);
      throw error;
    } finally {
      this.producers.giveBack(held);
    }
  }
}

/** Throws when a partition of the request is not in the answer. */
function mustBeAcknowledged(records: Placed[], answer: Pick<RecordMetadata, 'partition' | 'errorCode'>[]): void {
  const acknowledged = new Set(answer.filter(({ errorCode }) => errorCode === 0).map(({ partition }) => partition));
  for (const { partition } of records) {
    if (!acknowledged.has(partition)) throw new NotAcknowledged(`partition ${partition} was not acknowledged`);
  }
}
