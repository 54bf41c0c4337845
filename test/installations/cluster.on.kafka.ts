import { Kafka, logLevel, type Admin } from 'kafkajs';
import { Cluster } from './cluster';
import { API_KEY, Lettermill } from './lettermill';
import { SmtpSink } from './smtp.sink';

/** Five processes for all tests of the calling suite, with direct access to Kafka for what no user can do. */
export class ClusterOnKafka {
  readonly sink = new SmtpSink();
  readonly kafka: Kafka;
  readonly admin: Admin;
  cluster!: Cluster;
  lettermill!: Lettermill;

  constructor(brokers: string) {
    this.kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING });
    this.admin = this.kafka.admin();
    beforeAll(() => this.start(), 120_000);
    afterAll(() => this.stop());
  }

  private async start(): Promise<void> {
    await this.sink.start();
    this.cluster = await Cluster.create({ BOOTSTRAP_API_KEY: API_KEY, SMTP_URL: this.sink.url });
    this.lettermill = new Lettermill(this.cluster);
    await Promise.all([this.lettermill.start(), this.admin.connect()]);
  }

  private async stop(): Promise<void> {
    await this.lettermill.destroy();
    await this.admin.disconnect();
    await this.sink.stop();
  }
}
