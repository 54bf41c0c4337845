import { setTimeout as pause } from 'node:timers/promises';
import { ClusterOnKafka } from '../installations/cluster.on.kafka';
import { Process } from '../installations/process';
import { waitFor } from '../installations/lettermill';

const { KAFKA_BROKERS, MONGODB_URI } = process.env;
const PARTITIONS = 4;

if (!KAFKA_BROKERS || !MONGODB_URI) {
  it('left out: a store ahead of its log needs KAFKA_BROKERS and MONGODB_URI', () => {
    expect(KAFKA_BROKERS && MONGODB_URI).toBeFalsy();
  });
} else {
  describe('MongoDB data kept while Kafka is lost', () => {
    const installation = new ClusterOnKafka(KAFKA_BROKERS);
    const { admin, kafka, sink } = installation;
    beforeAll(() => installation.lettermill.launch('order'));

    const topic = () => `${installation.cluster.namespace}-message-requested`;

    /** How far contacts has written, which is further after each record that it applies. */
    const endsOfContacts = () => admin.fetchTopicOffsets(`${installation.cluster.namespace}-contact-upserted`);

    async function deleteTopic(): Promise<void> {
      await admin.deleteTopics({ topics: [topic()] });
      while ((await admin.listTopics()).includes(topic())) await pause(50);
    }

    /** Does not wait for it: kafkajs fails if it asks too early. Those who write try again. */
    const createTopic = () =>
      admin.createTopics({ topics: [{ topic: topic(), numPartitions: PARTITIONS }], waitForLeaders: false });

    /** Writes other records than before, and more of them, to each partition. */
    async function writeOtherRecords(): Promise<void> {
      const producer = kafka.producer();
      await createTopic();
      await producer.connect();
      for (let partition = 0; partition < PARTITIONS; partition += 1) {
        const messages = Array.from({ length: 50 }, (_, i) => ({ partition, value: '{}', headers: { ce_id: `${i}` } }));
        await producer.send({ topic: topic(), messages });
      }
      await producer.disconnect();
    }

    async function runAlone(command: string[]): Promise<{ code: number | null; output: string }> {
      const database = new URL(MONGODB_URI!);
      database.pathname = `/${installation.cluster.namespace}`;
      const own = {
        KAFKA_TOPIC_PREFIX: `${installation.cluster.namespace}-`,
        KAFKA_PARTITIONS: `${PARTITIONS}`,
        MONGODB_URI: database.href,
      };
      const env = { ...process.env, ...own, PORT: '0', INTERNAL_SECRET: 'a secret that all five services share' };
      const service = new Process([process.execPath, ...command], env);
      return { code: await service.exitCode, output: service.output };
    }
    const runContacts = () => runAlone(['dist/apps/contacts/src/main.js']);
    const runForgetPositions = () => runAlone(['dist/apps/init/src/main.js', 'forget-positions']);

    const sendTo = async (address: string, profile_data: object) => {
      const { body } = await installation.lettermill.send({
        campaign: 'order',
        to: { contact_key: address, profile_data },
      });
      await installation.lettermill.until(body.messages[0]!.message_id, 'sent');
      return sink.mailsTo(address).map(({ mail }) => mail.subject);
    };

    it('is refused by contacts at the start until forget-positions is run', async () => {
      expect(await sendTo('ada@example.com', { first_name: 'Before' })).toEqual(['Hello Before']);
      expect(await installation.lettermill.stop('SIGTERM')).toBe(0);

      const early = await runForgetPositions();
      expect(early).toMatchObject({ code: 1, output: expect.stringContaining('store_not_ahead') });

      await deleteTopic();
      for (const log of ['shorter', 'another']) {
        if (log === 'another') {
          await deleteTopic();
          await writeOtherRecords();
        }
        const { code, output } = await runContacts();
        expect(code).toBe(1);
        expect(output).toMatch(/"level":60.*store_ahead_of_log/);
        expect(output).toMatch(/partition \d of message-requested was applied up to position \d+.*docs\/backup\.md/);
      }

      await deleteTopic();
      expect(await runForgetPositions()).toMatchObject({ code: 0, output: expect.stringContaining('has forgotten') });
      expect(await runForgetPositions()).toMatchObject({ code: 1, output: expect.stringContaining('store_not_ahead') });
      await installation.lettermill.start();
      expect(await sendTo('ada@example.com', { first_name: 'After' })).toEqual(['Hello Before', 'Hello After']);
    }, 240_000);

    it('stops running contacts before they apply a record of the new log', async () => {
      // A second one, as a log whose only record is replaced is not shorter than before.
      for (const mails of [['Hello Before'], ['Hello Before', 'Hello Before']])
        expect(await sendTo('grace@example.com', { first_name: 'Before' })).toEqual(mails);
      const ends = await endsOfContacts();
      await deleteTopic();
      await createTopic();
      const to = { contact_key: 'grace@example.com', profile_data: { first_name: 'After' } };
      await waitFor(
        async () => (await installation.lettermill.send({ campaign: 'order', to })).status === 202 || undefined,
        'a 202',
      );
      expect(await installation.cluster.endOfOne('contacts')).toBe(1);
      expect(installation.cluster.output).toMatch(/"level":60.*store_ahead_of_log/);
      expect(await endsOfContacts()).toEqual(ends);
    });
  });
}
