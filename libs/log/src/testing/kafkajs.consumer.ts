import type { EachBatchPayload } from 'kafkajs';

type Listener = (event: { payload: unknown }) => void;

/** A consumer of kafkajs that does what the test says. */
export class Consumer {
  readonly events = { FETCH: 'fetch', HEARTBEAT: 'heartbeat', GROUP_JOIN: 'join', CRASH: 'crash' };
  readonly committed: string[] = [];
  readonly resolved: string[] = [];
  readonly sought: string[] = [];
  calls: string[] = [];
  /** The options with which it was created, subscribed and run. */
  asked: unknown[] = [];
  eachBatch: ((payload: EachBatchPayload) => Promise<void>) | undefined;
  connecting: Promise<void> = Promise.resolve();
  private readonly listeners = new Map<string, Listener[]>();

  on = (event: string, listener: Listener) =>
    void this.listeners.set(event, [...(this.listeners.get(event) ?? []), listener]);
  emit = (event: string, payload: unknown = {}) =>
    this.listeners.get(event)?.forEach((listener) => listener({ payload }));
  seek = ({ topic, partition, offset }: { topic: string; partition: number; offset: string }) =>
    void this.sought.push(`${topic}/${partition}@${offset}`);
  connect = () => (this.calls.push('connect'), this.connecting);
  subscribe = (asked: unknown) => Promise.resolve(void (this.calls.push('subscribe'), this.asked.push(asked)));
  disconnect = () => Promise.resolve(void this.calls.push('disconnect'));
  run = ({ eachBatch, ...asked }: { eachBatch: (payload: EachBatchPayload) => Promise<void> }) => {
    this.calls.push('run');
    this.asked.push(asked);
    this.eachBatch = eachBatch;
    return Promise.resolve();
  };

  /** Hands over one record of each of the partitions. */
  hand(...partitions: number[]): Promise<void>[] {
    return partitions.map((partition) => {
      const messages = [{ key: null, value: Buffer.from('v'), offset: '7', timestamp: '0', headers: {} }];
      const payload = {
        batch: { topic: 'p-t', partition, messages, lastOffset: () => '7' },
        isStale: () => false,
        resolveOffset: (offset: string) => void this.resolved.push(`${partition}@${offset}`),
        heartbeat: () => Promise.resolve(),
        commitOffsetsIfNecessary: (asked: { topics: { partitions: { partition: number; offset: string }[] }[] }) => {
          for (const one of asked.topics[0]!.partitions) this.committed.push(`${one.partition}@${one.offset}`);
          return Promise.resolve();
        },
      };
      return this.eachBatch!(payload as unknown as EachBatchPayload);
    });
  }
}
