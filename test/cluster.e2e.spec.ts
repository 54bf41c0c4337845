import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort, KEY, waitFor, type Ack, type Message } from './lettermill';
import { SmtpSink } from './smtp.sink';

const SERVICES = ['gateway', 'contacts', 'renderer', 'dispatch', 'tracker'] as const;
type Name = (typeof SERVICES)[number];
const { KAFKA_BROKERS, MONGODB_URI } = process.env;

/** The five services as processes of their own, on Kafka and MongoDB, with topics and a database to themselves. */
class Cluster {
  private readonly children = new Map<Name, ChildProcess>();
  private readonly ports = new Map<Name, number>();
  private readonly own = `e2e-${randomUUID().slice(0, 8)}`;
  output = '';

  constructor(private readonly smtpUrl: string) {}

  async start(): Promise<void> {
    for (const name of SERVICES) this.ports.set(name, await freePort());
    for (const name of SERVICES) this.run(name);
    await Promise.all(SERVICES.map((name) => this.ready(name)));
  }

  run(name: Name): void {
    const url = (owner: Name) => `http://127.0.0.1:${this.ports.get(owner)}`;
    const database = new URL(MONGODB_URI!);
    database.pathname = `/${this.own}`;
    const child = spawn(process.execPath, [`dist/apps/${name}/src/main.js`], {
      cwd: join(__dirname, '..'),
      env: {
        ...process.env,
        ...{ PORT: String(this.ports.get(name)), HOST: '127.0.0.1', LOG_LEVEL: 'warn' },
        ...{ KAFKA_TOPIC_PREFIX: `${this.own}-`, KAFKA_PARTITIONS: '4', MONGODB_URI: database.href },
        ...{ CONTACTS_URL: url('contacts'), RENDERER_URL: url('renderer') },
        ...{ DISPATCH_URL: url('dispatch'), TRACKER_URL: url('tracker') },
        ...{ INTERNAL_SECRET: 'a secret that all five services share', BOOTSTRAP_API_KEY: KEY },
        ...{ SMTP_URL: this.smtpUrl, RETRY_DELAYS: '1,1,1,1,1' },
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.on('data', (text: Buffer) => (this.output += text.toString()));
    child.stderr.on('data', (text: Buffer) => (this.output += text.toString()));
    this.children.set(name, child);
  }

  async ready(name: Name): Promise<void> {
    const look = async () => {
      const answer = await fetch(`http://127.0.0.1:${this.ports.get(name)}/health/ready`).catch(() => undefined);
      return answer?.status === 200 || undefined;
    };
    await waitFor(look, `${name} to be ready; it said:\n${this.output.slice(-2000)}`, 60_000);
  }

  async stop(name: Name, signal: NodeJS.Signals): Promise<number | null> {
    const child = this.children.get(name)!;
    child.kill(signal);
    const [code] = (await once(child, 'exit')) as [number | null];
    return code;
  }

  async call<T>(method: string, path: string, body?: unknown): Promise<{ status: number; body: T }> {
    const answer = await fetch(`http://127.0.0.1:${this.ports.get('gateway')}${path}`, {
      method,
      headers: { authorization: `Bearer ${KEY}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as T };
  }

  owner(name: Name, path: string): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.ports.get(name)}${path}`);
  }

  async destroy(): Promise<void> {
    for (const child of this.children.values()) child.kill('SIGKILL');
    await Promise.resolve();
  }
}

if (!KAFKA_BROKERS || !MONGODB_URI) {
  it('left out: the cluster suite needs KAFKA_BROKERS and MONGODB_URI', () => {
    expect(KAFKA_BROKERS && MONGODB_URI).toBeFalsy();
  });
} else {
  describe('five processes on Kafka and MongoDB', () => {
    let sink: SmtpSink;
    let cluster: Cluster;

    beforeAll(async () => {
      sink = await new SmtpSink().start();
      cluster = new Cluster(sink.url);
      await cluster.start();
    }, 120_000);
    afterAll(async () => {
      await cluster.destroy();
      await sink.stop();
    });

    const sent = (id: string) =>
      waitFor(
        async () => {
          const { body } = await cluster.call<Message>('GET', `/v2/messages/${id}`);
          return body.state === 'sent' ? body : undefined;
        },
        `message ${id} to be sent`,
        60_000,
      );

    it('launches, accepts, sends and tells, and finds the message right after the 202', async () => {
      const campaign = { from: 'a@shop.example', subject: 'Hello {{ first_name }}', text: 'Hello' };
      expect((await cluster.call('PUT', '/v2/campaigns/order', campaign)).status).toBe(201);
      const to = Array.from({ length: 100 }, (_, i) => ({
        contact_key: `five-${i}@example.com`,
        profile_data: { first_name: `N${i}` },
      }));
      const { status, body } = await cluster.call<Ack>('POST', '/v2/send/email', { campaign: 'order', to });
      expect(status).toBe(202);
      const [first] = body.messages;
      expect((await cluster.call('GET', `/v2/messages/${first!.message_id}`)).status).toBe(200);
      for (const [i, { message_id }] of body.messages.entries()) {
        await sent(message_id);
        expect(sink.to(`five-${i}@example.com`).map(({ mail }) => mail.subject)).toEqual([`Hello N${i}`]);
      }
    }, 120_000);

    it('answers management calls to the gateway alone', async () => {
      const answer = await cluster.owner('tracker', '/v2/messages');
      expect(answer.status).toBe(401);
    });

    it('loses nothing and repeats nothing unexplained when each service is killed under load', async () => {
      const accepted: [string, string][] = [];
      let loading = true;
      const load = (async () => {
        for (let i = 0; loading && accepted.length < 400; i += 1) {
          const address = `killed-${i}@example.com`;
          const answer = await cluster
            .call<Ack>('POST', '/v2/send/email', { campaign: 'order', to: address })
            .catch(() => undefined);
          if (answer?.status === 202) accepted.push([answer.body.messages[0]!.message_id, address]);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      })();
      for (const name of SERVICES) {
        await cluster.stop(name, 'SIGKILL');
        cluster.run(name);
        await cluster.ready(name);
      }
      await waitFor(() => accepted.length > 20 || undefined, 'a load of accepted messages', 60_000);
      loading = false;
      await load;
      for (const [id, address] of accepted) {
        const { attempts } = await sent(id);
        const unknown = attempts.filter(({ outcome }) => outcome === 'unknown').length;
        expect(sink.to(address).length).toBeGreaterThanOrEqual(1);
        expect(sink.to(address).length).toBeLessThanOrEqual(1 + unknown);
      }
    }, 240_000);

    it('ends every service with 0 on SIGTERM', async () => {
      expect(await Promise.all(SERVICES.map((name) => cluster.stop(name, 'SIGTERM')))).toEqual([0, 0, 0, 0, 0]);
    }, 60_000);
  });
}
