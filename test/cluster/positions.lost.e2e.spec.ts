import { setTimeout as pause } from 'node:timers/promises';
import { idTime } from '@lettermill/events';
import { Kafka, logLevel, type Admin } from 'kafkajs';
import { Cluster } from '../installations/cluster';
import { KEY, Lettermill, waitFor } from '../installations/lettermill';
import { SmtpSink } from '../installations/smtp.sink';

const { KAFKA_BROKERS, MONGODB_URI } = process.env;
const DAY_MS = 86_400_000;
const TO = 'ada@example.com';

interface Kept {
  key: Buffer | null;
  value: Buffer;
  headers: Record<string, Buffer>;
}

// Brokers forget the positions of a group without members after a week; from then on it reads what is there from the beginning.
(KAFKA_BROKERS && MONGODB_URI ? describe : describe.skip)('a renderer whose positions are lost', () => {
  const kafka = new Kafka({ brokers: (KAFKA_BROKERS ?? '').split(','), logLevel: logLevel.NOTHING });
  const sink = new SmtpSink();
  let cluster: Cluster;
  let lettermill: Lettermill;
  let admin: Admin;
  beforeAll(async () => {
    await sink.start();
    cluster = await Cluster.create({ BOOTSTRAP_API_KEY: KEY, SMTP_URL: sink.url });
    lettermill = new Lettermill(cluster);
    admin = kafka.admin();
    await Promise.all([lettermill.start(), admin.connect()]);
  }, 120_000);
  afterAll(async () => {
    await lettermill.destroy();
    await admin.disconnect();
    await sink.stop();
  });

  const topic = () => `${cluster.own}-message-requested`;
  const group = () => `${cluster.own}-renderer.contact-upserted`;

  async function first(): Promise<Kept> {
    const consumer = kafka.consumer({ groupId: `${cluster.own}-test` });
    await consumer.connect();
    await consumer.subscribe({ topic: topic(), fromBeginning: true });
    const found = new Promise<Kept>((resolve) => {
      void consumer.run({ eachMessage: ({ message }) => Promise.resolve(resolve(message as unknown as Kept)) });
    });
    try {
      return await found;
    } finally {
      await consumer.disconnect();
    }
  }

  /** The same, as it was written of a message that was accepted so many days ago. */
  async function putOlder({ key, value, headers }: Kept, days: number): Promise<string> {
    const data = JSON.parse(value.toString()) as { message_id: string };
    const id = idTime(Date.now() - days * DAY_MS) + data.message_id.slice(7);
    const producer = kafka.producer();
    await producer.connect();
    const older = { ...headers, ce_id: id };
    const message = { key, value: JSON.stringify({ ...data, message_id: id }), headers: older };
    await producer.send({ topic: topic(), messages: [message] });
    await producer.disconnect();
    return id;
  }

  it('sends nothing again: neither what dispatch knows, nor what it has forgotten', async () => {
    await lettermill.launch('receipts');
    const { body } = await lettermill.send({ campaign: 'receipts', to: TO });
    await lettermill.until(body.messages[0]!.message_id, 'sent');
    const old = await putOlder(await first(), 40);
    expect(await lettermill.until(old, 'failed')).toMatchObject({ reason: { code: 'too_old' }, attempts: [] });
    await cluster.stopOne('renderer', 'SIGTERM');
    await waitFor(async () => {
      await admin.deleteGroups([group()]).catch(() => undefined);
      const { groups } = await admin.listGroups();
      return groups.every(({ groupId }) => groupId !== group());
    }, 'the group to be gone');
    cluster.runOne('renderer');
    const { body: last } = await lettermill.send({ campaign: 'receipts', to: TO });
    await lettermill.until(last.messages[0]!.message_id, 'sent');
    await pause(200);
    expect(sink.to(TO)).toHaveLength(2);
  }, 120_000);
});
