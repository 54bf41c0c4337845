import { setTimeout as pause } from 'node:timers/promises';
import { idTime } from '@lettermill/events';
import { deleteFrom } from '../installations/cluster.data';
import { ClusterOnKafka } from '../installations/cluster.on.kafka';
import { waitFor } from '../installations/lettermill';

const { KAFKA_BROKERS, MONGODB_URI } = process.env;
const DAY_MS = 86_400_000;
const TO = 'ada@example.com';
const TOLD = ['accepted', 'contact_resolved', 'queued', 'sent'];

interface Kept {
  key: Buffer | null;
  value: Buffer;
  headers: Record<string, Buffer>;
}

// Brokers delete the positions of a group without members after a week; the group then reads its topics from the beginning.
if (!KAFKA_BROKERS || !MONGODB_URI) {
  it('left out: lost positions need KAFKA_BROKERS and MONGODB_URI', () => {
    expect(KAFKA_BROKERS && MONGODB_URI).toBeFalsy();
  });
} else {
  describe('a service whose positions are lost', () => {
    const on = new ClusterOnKafka(KAFKA_BROKERS);
    const { admin, kafka, sink } = on;

    const topic = () => `${on.cluster.own}-message-requested`;

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

    /** Writes the same record for a message that was accepted so many days ago. */
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

    const groupsOf = async (service: string) => {
      const { groups } = await admin.listGroups();
      return groups.map(({ groupId }) => groupId).filter((id) => id.startsWith(`${on.cluster.own}-${service}.`));
    };

    /** Deletes the service's groups. No process of it may run, because brokers delete no group that has members. */
    const loseGroups = (service: string) =>
      waitFor(async () => {
        await admin.deleteGroups(await groupsOf(service)).catch(() => undefined);
        return (await groupsOf(service)).length === 0;
      }, `the groups of the ${service} to be gone`);

    /** The message, once its timeline is complete: topics are read independently, so `sent` may be there before `queued`. */
    const whole = (id: string) =>
      waitFor(async () => {
        const { body } = await on.lettermill.message(id);
        const told = body.timeline?.map(({ type }) => type) ?? [];
        return TOLD.every((type) => told.includes(type)) ? body : undefined;
      }, `the whole timeline of ${id}`);

    it('sends nothing again if it is the renderer, not even what dispatch has forgotten', async () => {
      await on.lettermill.launch('receipts');
      const { body } = await on.lettermill.send({ campaign: 'receipts', to: TO });
      await on.lettermill.until(body.messages[0]!.message_id, 'sent');
      const old = await putOlder(await first(), 40);
      expect(await on.lettermill.until(old, 'failed')).toMatchObject({ reason: { code: 'too_old' }, attempts: [] });
      await on.cluster.stopOne('renderer', 'SIGTERM');
      await loseGroups('renderer');
      on.cluster.runOne('renderer');
      const { body: last } = await on.lettermill.send({ campaign: 'receipts', to: TO });
      await on.lettermill.until(last.messages[0]!.message_id, 'sent');
      await pause(200);
      expect(sink.to(TO)).toHaveLength(2);
    });

    it('restores lost timelines if it is the tracker, and leaves the others as they are', async () => {
      const accepted = await on.lettermill.send({
        campaign: 'receipts',
        to: ['before@example.com', 'after@example.com'],
      });
      const [before, after] = await Promise.all(accepted.body.messages.map(({ message_id }) => whole(message_id)));
      await on.cluster.stopOne('tracker', 'SIGTERM');
      await loseGroups('tracker');
      expect(await deleteFrom(on.cluster.own, 'tracker_message', { message_id: before!.message_id })).toBe(1);
      on.cluster.runOne('tracker');
      for (const message of [before, after]) expect(await whole(message!.message_id)).toEqual(message);
    });
  });
}
