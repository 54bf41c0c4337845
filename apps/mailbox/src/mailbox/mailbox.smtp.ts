import type { AddressInfo } from 'node:net';
import type { Logger } from '@lettermill/runtime';
import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import { MailTooLarge } from './mailbox.draft';
import type { Envelope } from './mailbox.file';
import type { MailStore } from './mailbox.store';
import { LoopbackServer } from './loopback.server';
import { headOf, type ReturnPathReceiver } from './return.path';
import { TestAddresses } from './test.addresses';
import { TestReports } from './test.reports';

const LOOPBACK = '127.0.0.1';
const MAX_MAIL_BYTES = 64 * 1024 * 1024;
const MAX_CONNECTIONS = 500;
/** RFC 5321, 4.5.3.1.8: at least 100. */
const MAX_RECIPIENTS = 100;
/** In bytes of JSON (RFC 5321, 4.5.3.1.3 has 256): the envelope of a mail must fit completely into the head of its file. */
const MAX_ADDRESS_BYTES = 1000;
const IDLE_TIMEOUT_MS = 60_000;
/** Until the final dot: a sender that gives an octet now and then would never be idle. */
const MAIL_TIMEOUT_MS = 10 * 60_000;
/** What a slow recipient takes: longer than others, and far below what a sender waits for. */
const SLOW_MS = 5_000;
/** How long connections may finish their current mail once the server stops. */
const GRACE_MS = 1000;
const DISK_FULL_CODES = new Set(['ENOSPC', 'EDQUOT']);

/** An error with the code of the SMTP reply that smtp-server sends for it. */
function smtpError(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}

function tooLongError(address: string): Error | null {
  return Buffer.byteLength(JSON.stringify(address)) > MAX_ADDRESS_BYTES
    ? smtpError(553, 'No address is so long.')
    : null;
}

function smtpErrorOf(error: unknown): Error {
  if (error instanceof MailTooLarge) return smtpError(552, error.message);
  const full = DISK_FULL_CODES.has(String((error as NodeJS.ErrnoException).code));
  return full
    ? smtpError(452, 'No room for the mail.')
    : smtpError(451, 'The mail could not be kept. Try again later.');
}

function envelopeOf({ envelope: { mailFrom, rcptTo } }: SMTPServerSession): Envelope {
  return { from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address) };
}

export interface MailboxSmtpOptions {
  store: MailStore;
  logger: Logger;
  /** 0 takes any free port. */
  port?: number;
  /** Loopback by default. */
  host?: string;
  /** Maximum bytes of one mail. */
  maxMailBytes?: number;
  maxConnections?: number;
  mailTimeoutMs?: number | undefined;
}

/**
 * A real SMTP server (RFC 5321) that keeps every mail it receives. It listens on loopback, or in a network of its own, so it requires
 * neither TLS nor a password. The reply 250 to the data is sent once the mail is durable, not before.
 */
export class MailboxSmtp {
  /** Set once the services behind it have started. */
  returnPath: ReturnPathReceiver | undefined;
  private readonly server: LoopbackServer;
  private readonly maxMailBytes: number;
  private readonly testAddresses = new TestAddresses();
  private readonly testReports: TestReports;

  constructor(private readonly options: MailboxSmtpOptions) {
    this.maxMailBytes = options.maxMailBytes ?? MAX_MAIL_BYTES;
    const { store, logger } = options;
    this.testReports = new TestReports({ store, logger, receiver: () => this.returnPath });
    this.server = new LoopbackServer({
      name: 'localhost',
      banner: 'Lettermill mailbox',
      logger: false,
      size: this.maxMailBytes,
      rejectOversized: true,
      maxClients: options.maxConnections ?? MAX_CONNECTIONS,
      maxRecipients: MAX_RECIPIENTS,
      // The senders have checked the addresses already.
      lenientAddressParsing: true,
      socketTimeout: IDLE_TIMEOUT_MS,
      closeTimeout: GRACE_MS,
      disableReverseLookup: true,
      disabledCommands: ['AUTH', 'STARTTLS', 'WIZ', 'SHELL', 'KILL'],
      hideENHANCEDSTATUSCODES: false,
      noDelay: true,
      // The default handlers each wait for a turn of the event loop, for no reason.
      onConnect: (_session, callback) => callback(),
      onMailFrom: ({ address }, _session, callback) => callback(tooLongError(address)),
      onRcptTo: ({ address }, _session, callback) => {
        const error = tooLongError(address) ?? this.forgedError(address);
        if (error) callback(error);
        else this.answerRecipient(address, callback);
      },
      onData: (stream, session, callback) => {
        this.receive(stream, session).then(
          (id) => {
            const envelope = envelopeOf(session);
            const after = this.testAddresses.afterAcceptance(envelope.to);
            this.testReports.writeAbout(id, envelope, after);
            if (after.hidden) this.breakConnection(session);
            else callback(null, `OK: kept as ${id}`);
          },
          (error: unknown) => callback(smtpErrorOf(error)),
        );
      },
    });
  }

  /** Rejects if it cannot listen on the port. */
  async start(): Promise<{ port: number }> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(this.options.port ?? 0, this.options.host ?? LOOPBACK, () => {
        this.server.off('error', reject);
        resolve();
      });
    });
    // From here on, errors concern single connections that break.
    this.server.on('error', (error) => this.options.logger.debug({ err: error }, 'a connection to the mailbox broke'));
    return { port: (this.server.server.address() as AddressInfo).port };
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(resolve));
    await this.testReports.stop();
  }

  private answerRecipient(address: string, callback: (error?: Error | null) => void): void {
    const answer = this.testAddresses.answerTo(address);
    if (answer === 'slow') setTimeout(callback, SLOW_MS).unref();
    else callback(answer && smtpError(answer.code, answer.text));
  }

  private breakConnection({ id }: SMTPServerSession): void {
    for (const connection of this.server.connections) if (connection.id === id) connection.close();
  }

  private forgedError(address: string): Error | null {
    return this.returnPath?.judge(address) === 'forged'
      ? smtpError(550, 'This return path was not signed here.')
      : null;
  }

  /** If this rejects, the sender gets an error and sends the mail again: a report received twice changes nothing. */
  private async forwardToReturnPath(id: string, { from, to }: Envelope): Promise<void> {
    const { returnPath: receiver } = this;
    const address = to.find((one) => receiver?.judge(one) === 'ours');
    if (!receiver || address === undefined) return;
    const mail = await this.options.store.raw(id);
    if (!mail) throw new Error('it was cleared before it was handed on');
    // As whoever delivers finally has to (RFC 5321, 4.4): that nobody sent it marks a report.
    const returnPath = Buffer.from(`Return-Path: <${from}>\r\n`);
    await receiver.deliver(address, Buffer.concat([returnPath, await headOf(mail.stream)]));
  }

  private async receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const { store, logger, mailTimeoutMs = MAIL_TIMEOUT_MS } = this.options;
    const timer = setTimeout(() => this.breakConnection(session), mailTimeoutMs);
    stream.once('close', () => clearTimeout(timer));
    try {
      const envelope = envelopeOf(session);
      const { id } = await store.receive(envelope, stream, this.maxMailBytes);
      await this.forwardToReturnPath(id, envelope);
      return id;
    } catch (error) {
      if (stream.readableEnded && !(error instanceof MailTooLarge))
        logger.error({ err: error }, 'a mail could not be kept');
      throw error;
    }
  }
}
