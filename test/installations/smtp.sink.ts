import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import PostalMime, { type Email } from 'postal-mime';
import type { SMTPServer, SMTPServerSession } from 'smtp-server';
import { LoopbackServer } from '../../apps/mailbox/src/mailbox/loopback.server';
import { freePort, waitFor } from './lettermill';

export interface ReceivedMail {
  from: string;
  to: string[];
  raw: Buffer;
  /** Empty if the sink reads no mails. */
  mail: Email;
}

const UNREAD: Email = { headers: [], headerLines: [], attachments: [] };

export interface SinkOptions {
  hideSMTPUTF8?: boolean;
  /** Of the largest mail that it accepts. */
  size?: number;
  /** Whether it reads what it receives (yes by default): mails of megabytes take seconds. */
  readsMails?: boolean;
}

/**
 * A real SMTP server that keeps the mails that it gets. The local part of a recipient, up to a dash, selects what it does:
 * `refused-…` 550 at RCPT, `later2-…` 451 twice and then 250, `full-…` 452, `cutdata-…` cuts the connection in the middle of the
 * content, `cutdot-…` keeps the mail and cuts the connection instead of 250 (once), `slow-…` 250 after 1.5 s, `turns-…` 451 and
 * from then on 550, `closes-…` 451, then 421 twice, and then 250, `greydot-…` 451 once and then as `cutdot-…`, `dotgrey-…` as
 * `cutdot-…` and from then on 451.
 */
export class SmtpSink {
  readonly mails: ReceivedMail[] = [];
  readonly rcptCounts = new Map<string, number>();
  private server: SMTPServer | undefined;
  port = 0;

  /** `refusal`: how it refuses the next mail after its content; null if it takes it. */
  constructor(
    private readonly options: SinkOptions = {},
    private readonly refusal: () => Error | null = () => null,
  ) {}

  async start(): Promise<this> {
    const { hideSMTPUTF8, size } = this.options;
    this.server = new LoopbackServer({
      hideSMTPUTF8,
      size,
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      disableReverseLookup: true,
      logger: false,
      closeTimeout: 50,
      onRcptTo: ({ address }, _session, done) => done(this.refusalFor(address)),
      onData: (stream, session, done) => void this.receive(stream, session, done),
    });
    this.server.on('error', () => undefined);
    const listening = this.server.listen((this.port ||= await freePort()), '127.0.0.1');
    await once(listening, 'listening');
    return this;
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (server) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}?tls=off`;
  }

  /** Mails to an address, in order of arrival. */
  mailsTo(address: string): ReceivedMail[] {
    return this.mails.filter(({ to }) => to.includes(address));
  }

  firstMailTo(address: string): Promise<ReceivedMail> {
    return waitFor(() => this.mailsTo(address)[0], `a mail to ${address}`);
  }

  private refusalFor(address: string): Error | null {
    const [kind] = address.split('-');
    const times = (this.rcptCounts.get(address) ?? 0) + 1;
    this.rcptCounts.set(address, times);
    if (kind === 'refused') return refuse(550, '5.1.1 no such user here');
    if (kind === 'full') return refuse(452, '4.2.2 mailbox full');
    if (kind === 'later2' && times <= 2) return refuse(451, '4.7.1 greylisted, come back later');
    if (['turns', 'closes', 'greydot'].includes(kind!) && times === 1) return refuse(451, '4.7.1 come back later');
    if (kind === 'dotgrey' && times > 1) return refuse(451, '4.7.1 come back later');
    if (kind === 'turns') return refuse(550, '5.1.1 no such user here');
    if (kind === 'closes' && times <= 3) return refuse(421, '4.3.2 closing down');
    return null;
  }

  private async receive(
    stream: NodeJS.ReadableStream,
    session: SMTPServerSession,
    done: (error?: Error | null) => void,
  ): Promise<void> {
    const to = session.envelope.rcptTo.map(({ address }) => address);
    const cut = () => {
      const connection = [...(this.server as unknown as { connections: Set<Connection> }).connections];
      connection.find(({ id }) => id === session.id)?._socket.destroy();
    };
    const kind = to[0]!.split('-')[0];
    const times = this.rcptCounts.get(to[0]!)!;
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of stream) {
        if (kind === 'cutdata' && times === 1) return cut();
        chunks.push(chunk as Buffer);
      }
    } catch {
      // The client disconnected in the middle, so there is no mail.
      return;
    }
    const refusal = this.refusal();
    if (refusal) return done(refusal);
    const raw = Buffer.concat(chunks);
    const from = session.envelope.mailFrom ? session.envelope.mailFrom.address : '';
    const { readsMails = true } = this.options;
    this.mails.push({ from, to, raw, mail: readsMails ? await PostalMime.parse(raw) : UNREAD });
    if ((['cutdot', 'dotgrey'].includes(kind!) && times === 1) || (kind === 'greydot' && times === 2)) return cut();
    if (kind === 'slow') await pause(1500);
    done();
  }
}

/** The answer of an SMTP server; `text` begins with the enhanced code. */
export function refuse(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}

interface Connection {
  id: string;
  _socket: { destroy(): void };
}
