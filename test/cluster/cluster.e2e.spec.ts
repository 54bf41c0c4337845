import { setTimeout as pause } from 'node:timers/promises';
import { SERVICES } from '@lettermill/config';
import { Cluster } from '../installations/cluster';
import { API_KEY, Lettermill, waitFor } from '../installations/lettermill';
import { SmtpSink } from '../installations/smtp.sink';

const { KAFKA_BROKERS, MONGODB_URI } = process.env;
const REQUEST_INTERVAL_MS = 50;
/** Of the requests of one message each beside a kill, so many are accepted before it; the others come while the service is away. */
const ACCEPTED_BEFORE_KILL = 20;
const REQUESTS_PER_KILL = 60;

if (!KAFKA_BROKERS || !MONGODB_URI) {
  it('left out: the cluster suite needs KAFKA_BROKERS and MONGODB_URI', () => {
    expect(KAFKA_BROKERS && MONGODB_URI).toBeFalsy();
  });
} else {
  describe('five processes on Kafka and MongoDB', () => {
    let sink: SmtpSink;
    let cluster: Cluster;
    let lettermill: Lettermill;

    beforeAll(async () => {
      sink = await new SmtpSink().start();
      const environment = { BOOTSTRAP_API_KEY: API_KEY, SMTP_URL: sink.url, RETRY_DELAYS: '1,1,1,1,1' };
      cluster = await Cluster.create(environment);
      lettermill = new Lettermill(cluster);
      await lettermill.start();
      await lettermill.launch('order');
    });
    afterAll(async () => {
      await lettermill.destroy();
      await sink.stop();
    });

    it('send every message of a call, and find one right after the 202', async () => {
      const to = Array.from({ length: 100 }, (_, i) => ({
        contact_key: `five-${i}@example.com`,
        profile_data: { first_name: `N${i}` },
      }));
      const { status, body } = await lettermill.send({ campaign: 'order', to });
      expect(status).toBe(202);
      const [first] = body.messages;
      expect((await lettermill.message(first!.message_id)).status).toBe(200);
      for (const [i, { message_id }] of body.messages.entries()) {
        await lettermill.until(message_id, 'sent');
        expect(sink.mailsTo(`five-${i}@example.com`).map(({ mail }) => mail.subject)).toEqual([`Hello N${i}`]);
      }
    });

    it('refuse management calls that bypass the gateway', async () => {
      const answer = await fetch(`${cluster.url('tracker')}/v2/messages`);
      expect(answer.status).toBe(401);
    });

    it('lose nothing and repeat nothing unexplained when each service is killed under load', async () => {
      const accepted: [string, string][] = [];
      const sendBeside = async (name: string) => {
        for (let i = 0; i < REQUESTS_PER_KILL; i += 1) {
          const address = `${name}-${i}@example.com`;
          const answer = await lettermill.send({ campaign: 'order', to: address }).catch(() => undefined);
          if (answer?.status === 202) accepted.push([answer.body.messages[0]!.message_id, address]);
          await pause(REQUEST_INTERVAL_MS);
        }
      };
      for (const name of SERVICES) {
        const enough = accepted.length + ACCEPTED_BEFORE_KILL;
        const load = sendBeside(name);
        await waitFor(() => accepted.length >= enough, `messages before the ${name} is killed`);
        await Promise.all([cluster.restart(name), load]);
      }
      for (const [id, address] of accepted) {
        const { attempts } = await lettermill.until(id, 'sent');
        const unknown = attempts.filter(({ outcome }) => outcome === 'unknown').length;
        expect(sink.mailsTo(address).length).toBeGreaterThanOrEqual(1);
        expect(sink.mailsTo(address).length).toBeLessThanOrEqual(1 + unknown);
      }
    }, 240_000);

    it('exit with 0 on SIGTERM', async () => {
      expect(await lettermill.stop('SIGTERM')).toBe(0);
    });
  });
}
