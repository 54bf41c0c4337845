import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface TakenMail {
  from: string;
  to: string[];
  raw: Buffer;
}

interface Refusal extends Error {
  responseCode: number;
}

function refusal(code: number, text: string): Refusal {
  return Object.assign(new Error(text), { responseCode: code });
}

/**
 * A real SMTP server that behaves as the recipient's local part says: `rcpt-550-…` refuses the recipient with that code, `data-451-…` the
 * whole mail; `-once` does so only the first time. Mail to all others is taken.
 */
export class AnsweringServer {
  readonly taken: TakenMail[] = [];
  connections = 0;
  maxConcurrent = 0;
  private open = 0;
  private readonly seen = new Set<string>();
  private server: SMTPServer;

  constructor(private readonly options: SMTPServerOptions = {}) {
    this.server = this.make();
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  async listen(port = 0): Promise<this> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, '127.0.0.1', () => resolve());
    });
    return this;
  }

  async restart(port: number): Promise<void> {
    this.server = this.make();
    await this.listen(port);
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private make(): SMTPServer {
    const server = new SMTPServer({
      authOptional: true,
      disableReverseLookup: true,
      closeTimeout: 50,
      logger: false,
      onConnect: (_session, done) => {
        this.connections += 1;
        this.open += 1;
        this.maxConcurrent = Math.max(this.maxConcurrent, this.open);
        done();
      },
      onClose: () => (this.open -= 1),
      onRcptTo: ({ address }, _session, done) => done(this.refusalOf('rcpt', address)),
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const to = session.envelope.rcptTo.map(({ address }) => address);
          const refused = to.map((address) => this.refusalOf('data', address)).find(Boolean);
          if (refused) return done(refused);
          const from = session.envelope.mailFrom ? session.envelope.mailFrom.address : '';
          this.taken.push({ from, to, raw: Buffer.concat(chunks) });
          done(null, 'taken');
        });
      },
      ...this.options,
    });
    server.on('error', () => undefined);
    return server;
  }

  private refusalOf(stage: 'rcpt' | 'data', address: string): Refusal | undefined {
    const [, where, code, once] = /^(rcpt|data)-(\d{3})(-once)?/.exec(address) ?? [];
    if (where !== stage || (once && this.seen.has(address))) return undefined;
    this.seen.add(address);
    return refusal(Number(code), `${code!.startsWith('5') ? '5.1.1 User unknown' : '4.2.0 Greylisted'}`);
  }
}
