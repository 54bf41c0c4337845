import { generateKeyPairSync } from 'node:crypto';
import { dkimVerify } from 'mailauth/lib/dkim/verify';
import { DnsServer } from './dns.server';
import { installedWithSink } from '../installations/installed';
import type { Answer, Lettermill } from '../installations/lettermill';
import type { SmtpSink } from '../installations/smtp.sink';

export interface DkimRecord {
  use: string;
  selector: string;
  algorithm: string;
  name: string;
  value: string;
  strings: string[];
  zone: string;
  status: string;
  found?: string[];
}

export interface Domain {
  domain: string;
  status: string;
  signing: boolean;
  sign: string;
  require: boolean;
  records: DkimRecord[];
}

/** The verdicts on a mail with both signatures. */
export const BOTH_PASS = ['rsa-sha256 pass', 'ed25519-sha256 pass'];

export const newPrivateKey = (modulusLength = 2048) =>
  generateKeyPairSync('rsa', { modulusLength }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** The product with a DNS server that has the records published here, and a next hop that keeps its mails. */
export class DkimInstallation {
  private recipients = 0;

  private constructor(
    readonly sink: SmtpSink,
    readonly dns: DnsServer,
    readonly lettermill: Lettermill,
  ) {}

  /** Runs during all tests of the calling suite. */
  static installed(environment: Record<string, string> = {}): DkimInstallation {
    const dns = new DnsServer();
    beforeAll(() => dns.start());
    const { sink, lettermill } = installedWithSink(() => ({
      DNS_SERVERS: dns.address,
      RETRY_DELAYS: '1,1,1,1,1,1',
      ...environment,
    }));
    afterAll(() => dns.stop());
    return new DkimInstallation(sink, dns, lettermill);
  }

  put<T = Domain>(domain: string, body?: unknown): Promise<Answer<T>> {
    return this.lettermill.call<T>('PUT', `/v2/domains/${domain}`, body);
  }

  verify(domain: string): Promise<Answer<Domain>> {
    return this.lettermill.call<Domain>('POST', `/v2/domains/${domain}/verify`);
  }

  publishRecords({ records }: Domain): void {
    for (const { name, value } of records) this.dns.records.set(name, [value]);
  }

  /** Sets up a domain, publishes its records and verifies it, so that it signs. */
  async setUp(domain: string): Promise<Domain> {
    this.publishRecords((await this.put(domain, {})).body);
    const { body: verified } = await this.verify(domain);
    expect(verified).toMatchObject({ status: 'verified', signing: true });
    return verified;
  }

  /** Sends a message from this domain; resolves to the mail that arrived. */
  async sendFrom(
    domain: string,
    overrides: Record<string, unknown> = {},
    email = `p${(this.recipients += 1)}@example.org`,
  ): Promise<Buffer> {
    const slug = `from-${domain.replace(/[^a-z]/g, '-')}`;
    await this.lettermill.launch(slug, { from: { email: `shop@${domain}`, name: 'Shop' } });
    const { body } = await this.lettermill.send({ campaign: slug, to: { email }, ...overrides });
    await this.lettermill.until(body.messages[0]!.message_id, 'sent');
    return (await this.sink.firstMailTo(email)).raw;
  }

  /** Verifies the signatures by an independent implementation, with the published records. */
  async verifySignatures(raw: Buffer): Promise<string[]> {
    const resolver = (name: string) => Promise.resolve((this.dns.records.get(name) ?? []).map((text) => [text]));
    const { results } = await dkimVerify(raw, { resolver } as never);
    const told = results as unknown as { algo: string; status: { result: string }; signingDomain: string }[];
    return told.filter(({ algo }) => algo).map(({ algo, status }) => `${algo} ${status.result}`);
  }
}
