import { idTime } from '@lettermill/events';
import { deleteDocuments } from '../installations/cluster.data';
import { ClusterOnKafka } from '../installations/cluster.on.kafka';
import { waitFor } from '../installations/lettermill';

const { KAFKA_BROKERS, MONGODB_URI } = process.env;
const DAY_MS = 86_400_000;
const RECIPIENT = 'ada@example.com';
const WHOLE_TIMELINE = ['accepted', 'contact_resolved', 'queued', 'sent'];

interface StoredRecord {
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
    const installation = new ClusterOnKafka(KAFKA_BROKERS);
    const { admin, kafka, sink } = installation;
    beforeAll(() => installation.lettermill.launch('receipts'));

    const topic = () => `${installation.cluster.namespace}-message-requested`;

    async function readFirst(): Promise<StoredRecord> {
      const consumer = kafka.consumer({ groupId: `${installation.cluster.namespace}-test` });
      await consumer.connect();
      await consumer.subscribe({ topic: topic(), fromBeginning: true });
      const found = new Promise<StoredRecord>((resolve) => {
        void consumer.run({
          eachMessage: ({ message }) => Promise.resolve(resolve(message as unknown as StoredRecord)),
        });
      });
      try {
        return await found;
      } finally {
        await consumer.disconnect();
      }
    }

    /** Writes the same record for a message that was accepted so many days ago. */
    async function writeOlder({ key, value, headers }: StoredRecord, days: number): Promise<string> {
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
      return groups
        .map(({ groupId }) => groupId)
        .filter((id) => id.startsWith(`${installation.cluster.namespace}-${service}.`));
    };

    /** Deletes the service's groups. No process of it may run, because brokers delete no group that has members. */
    const deleteGroups = (service: string) =>
      waitFor(async () => {
        await admin.deleteGroups(await groupsOf(service)).catch(() => undefined);
        return (await groupsOf(service)).length === 0;
      }, `the groups of the ${service} to be gone`);

    /** The message, once its timeline is complete: topics are read independently, so `sent` may be there before `queued`. */
    const waitForWholeTimeline = (id: string) =>
      waitFor(async () => {
        const { body } = await installation.lettermill.message(id);
        const timeline = body.timeline?.map(({ type }) => type) ?? [];
        return WHOLE_TIMELINE.every((type) => timeline.includes(type)) ? body : undefined;
      }, `the whole timeline of ${id}`);

    it('sends nothing again if it is the renderer, not even what dispatch has forgotten', async () => {
      const { body } = await installation.lettermill.send({ campaign: 'receipts', to: RECIPIENT });
      await installation.lettermill.until(body.messages[0]!.message_id, 'sent');
      const old = await writeOlder(await readFirst(), 40);
      expect(await installation.lettermill.until(old, 'failed')).toMatchObject({
        reason: { code: 'too_old' },
        attempts: [],
      });
      await installation.cluster.stopOne('renderer', 'SIGTERM');
      await deleteGroups('renderer');
      installation.cluster.startOne('renderer');
      // What the renderer repeats is before these, as it is for the same contact, and would be sent before the last of them.
      for (let i = 0; i < 2; i += 1) {
        const { body: later } = await installation.lettermill.send({ campaign: 'receipts', to: RECIPIENT });
        await installation.lettermill.until(later.messages[0]!.message_id, 'sent');
      }
      expect(sink.mailsTo(RECIPIENT)).toHaveLength(3);
    });

    it('restores lost timelines if it is the tracker, and leaves the others as they are', async () => {
      const accepted = await installation.lettermill.send({
        campaign: 'receipts',
        to: ['before@example.com', 'after@example.com'],
      });
      const [before, after] = await Promise.all(
        accepted.body.messages.map(({ message_id }) => waitForWholeTimeline(message_id)),
      );
      await installation.cluster.stopOne('tracker', 'SIGTERM');
      await deleteGroups('tracker');
      expect(
        await deleteDocuments(installation.cluster.namespace, 'tracker_message', { message_id: before!.message_id }),
      ).toBe(1);
      installation.cluster.startOne('tracker');
      for (const message of [before, after]) expect(await waitForWholeTimeline(message!.message_id)).toEqual(message);
    });
  });
}
