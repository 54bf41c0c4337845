import { setTimeout as pause } from 'node:timers/promises';
import { idTime } from '@lettermill/events';
import { ClusterOnKafka } from '../installations/cluster.on.kafka';
import { waitFor } from '../installations/lettermill';

const { KAFKA_BROKERS, MONGODB_URI } = process.env;
const DAY_MS = 86_400_000;
const TO = 'ada@example.com';

interface Kept {
  key: Buffer | null;
  value: Buffer;
  headers: Record<string, Buffer>;
}

// Brokers forget the positions of a group without members after a week; from then on it reads what is there from the beginning.
if (!KAFKA_BROKERS || !MONGODB_URI) {
  it('left out: positions that are lost need KAFKA_BROKERS and MONGODB_URI', () => {
    expect(KAFKA_BROKERS && MONGODB_URI).toBeFalsy();
  });
} else {
  describe('a renderer whose positions are lost', () => {
    const on = new ClusterOnKafka(KAFKA_BROKERS);
    const { admin, kafka, sink } = on;

    const topic = () => `${on.cluster.own}-message-requested`;
    const group = () => `${on.cluster.own}-renderer.contact-upserted`;

    async function first(): Promise<Kept> {
      const consumer = kafka.consumer({ groupId: `${on.cluster.own}-test` });
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
      await on.lettermill.launch('receipts');
      const { body } = await on.lettermill.send({ campaign: 'receipts', to: TO });
      await on.lettermill.until(body.messages[0]!.message_id, 'sent');
      const old = await putOlder(await first(), 40);
      expect(await on.lettermill.until(old, 'failed')).toMatchObject({ reason: { code: 'too_old' }, attempts: [] });
      await on.cluster.stopOne('renderer', 'SIGTERM');
      await waitFor(async () => {
        await admin.deleteGroups([group()]).catch(() => undefined);
        const { groups } = await admin.listGroups();
        return groups.every(({ groupId }) => groupId !== group());
      }, 'the group to be gone');
      on.cluster.runOne('renderer');
      const { body: last } = await on.lettermill.send({ campaign: 'receipts', to: TO });
      await on.lettermill.until(last.messages[0]!.message_id, 'sent');
      await pause(200);
      expect(sink.to(TO)).toHaveLength(2);
    });
  });
}
