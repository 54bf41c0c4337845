import type { KafkaClients } from './kafka.client';
import { KafkaSender, NeverConnected } from './kafka.sender';

const placed = (partition: number) => {
  return { partition, bytes: 1, record: { topic: 't', key: 'k', value: String(partition), headers: {} } };
};
const acknowledged = (...partitions: number[]) => partitions.map((partition) => ({ partition, errorCode: 0 }));

/** Producers whose sends end as `answers` says, one after the other. */
class Script {
  connected = 0;
  disconnected = 0;
  readonly sent: number[][] = [];
  readonly acks = new Set<number>();
  constructor(private readonly answers: (() => Promise<unknown>)[]) {}

  readonly producer = () => {
    this.connected += 1;
    return {
      connect: () => Promise.resolve(),
      disconnect: () => Promise.resolve(void (this.disconnected += 1)),
      send: ({ messages, acks }: { messages: { partition: number }[]; acks: number }) => {
        this.acks.add(acks);
        this.sent.push(messages.map(({ partition }) => partition));
        return this.answers.shift()!();
      },
    };
  };
}

const senderOf = (script: Script) => new KafkaSender({ producer: script.producer } as unknown as KafkaClients);

describe('sending to the brokers', () => {
  it('asks all replicas in sync for an acknowledgement, and sends all again when one lacks a partition or has an error for it', async () => {
    const script = new Script([
      () => Promise.resolve(acknowledged(0)),
      () => Promise.resolve([...acknowledged(0), { partition: 1, errorCode: 6 }]),
      () => Promise.resolve(acknowledged(1, 0)),
    ]);
    await senderOf(script).send('t', [placed(0), placed(1)]);
    expect(script.sent).toEqual([
      [0, 1],
      [0, 1],
      [0, 1],
    ]);
    expect(script.connected).toBe(1);
    // In Kafka's protocol: of all replicas that are in sync.
    expect([...script.acks]).toEqual([-1]);
  });

  it('gives up a producer whose send never ends, as what it sent may be on the log or not', async () => {
    jest.useFakeTimers();
    const script = new Script([() => new Promise(() => undefined)]);
    const failed = senderOf(script)
      .send('t', [placed(0)])
      .catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(16_000);
    jest.useRealTimers();
    expect(await failed).toBeInstanceOf(Error);
    expect(await failed).not.toBeInstanceOf(NeverConnected);
    expect([script.sent, script.disconnected]).toEqual([[[0]], 1]);
  });

  it('tells in the end that a partition was not acknowledged: its topic may have changed', async () => {
    jest.useFakeTimers();
    const script = new Script(Array(20).fill(() => Promise.resolve(acknowledged(0))) as (() => Promise<unknown>)[]);
    const failed = senderOf(script)
      .send('t', [placed(0), placed(1)])
      .catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(60_000);
    jest.useRealTimers();
    expect(await failed).toMatchObject({ type: 'NOT_ACKNOWLEDGED' });
  });

  it('retries over new connections when there was no answer', async () => {
    const script = new Script([() => Promise.reject(new Error('closed')), () => Promise.resolve(acknowledged(0))]);
    await senderOf(script).send('t', [placed(0)]);
    expect([script.connected, script.disconnected, script.sent]).toEqual([2, 1, [[0], [0]]]);
  });

  it('keeps the connections when a broker refuses', async () => {
    const refusal = Object.assign(new Error('not now'), { type: 'NOT_LEADER_FOR_PARTITION' });
    const script = new Script([() => Promise.reject(refusal), () => Promise.resolve(acknowledged(0))]);
    const sender = senderOf(script);
    await sender.send('t', [placed(0)]);
    expect([script.connected, script.disconnected]).toEqual([1, 0]);
    await sender.close();
    expect(script.disconnected).toBe(1);
  });

  it('tells a request that no broker received from one that may be on the log', async () => {
    const refusal = Object.assign(new Error('not there'), { type: 'MESSAGE_TOO_LARGE' });
    const away = { producer: () => ({ connect: () => Promise.reject(refusal), disconnect: () => Promise.resolve() }) };
    const unseen = new KafkaSender(away as unknown as KafkaClients).send('t', [placed(0)]);
    await expect(unseen).rejects.toBeInstanceOf(NeverConnected);
  });

  it('reconnects after a login that the broker refused with an error code', async () => {
    const refusal = Object.assign(new Error('refused'), { type: 'UNSUPPORTED_SASL_MECHANISM' });
    const script = new Script([() => Promise.resolve(acknowledged(0))]);
    const connects = [() => Promise.reject(refusal), () => Promise.resolve()];
    const producer = () => ({ ...script.producer(), connect: connects.shift()! });
    await new KafkaSender({ producer } as unknown as KafkaClients).send('t', [placed(0)]);
    expect([script.connected, script.disconnected, script.sent]).toEqual([2, 1, [[0]]]);
  });

  it('gives up a broker that takes the connection and says nothing, and closes it should it answer later', async () => {
    jest.useFakeTimers();
    const script = new Script([() => Promise.resolve(acknowledged(0))]);
    const answers: (() => void)[] = [];
    const silent = () => new Promise<void>((resolve) => answers.push(resolve));
    const connects = [silent, silent, silent];
    const producer = () => ({ ...script.producer(), connect: connects.shift() ?? (() => Promise.resolve()) });
    const sender = new KafkaSender({ producer } as unknown as KafkaClients);
    const sending = sender.send('t', [placed(0)]).catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(await sending).toBeInstanceOf(NeverConnected);
    const given = answers.length;
    connects.splice(0);
    answers.forEach((answer) => answer());
    await sender.send('t', [placed(0)]);
    jest.useRealTimers();
    expect([script.sent, script.disconnected]).toEqual([[[0]], given]);
  });

  it('gives up after a while with the last error', async () => {
    jest.useFakeTimers();
    const refusal = Object.assign(new Error('not now'), { type: 'NOT_LEADER_FOR_PARTITION' });
    const script = new Script(Array.from({ length: 99 }, () => () => Promise.reject(refusal)));
    const sending = senderOf(script)
      .send('t', [placed(0)])
      .catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(60_000);
    jest.useRealTimers();
    expect(script.sent).toHaveLength(6);
    expect(await sending).toBe(refusal);
  });

  it('does not retry what is too large', async () => {
    const refusal = Object.assign(new Error('wrapped'), { cause: { type: 'MESSAGE_TOO_LARGE' } });
    const script = new Script([() => Promise.reject(refusal)]);
    await expect(senderOf(script).send('t', [placed(0)])).rejects.toBe(refusal);
    expect(script.sent).toHaveLength(1);
  });
});
