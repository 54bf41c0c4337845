import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Conversation } from './conversation';
import type { CopyEntry } from './entries';
import type { Journal } from './journal';
import { faultOf, type MailFault, type Misstep } from './mail.faults';
import type { HopTls, TlsFault } from './mail.tls';

/**
 * An SMTP server with faults. Each copy that it accepts is in the journal on disk before it replies to the final dot. The address of
 * the first recipient selects the fault (mail.faults.ts); a cc that is deferred or refused is selected by its own.
 */
export class MailServer {
  private readonly sockets = new Set<Socket>();
  /** How often the fault of an address was shown. */
  private readonly timesShown = new Map<string, number>();
  private readonly server: Server;
  /** Addresses for which a copy came, with its envelope sender. */
  private readonly senders = new Map<string, string>();
  acceptedCopies = 0;
  /** Commands that came over a connection that nobody must trust. */
  readonly insecure: string[] = [];

  constructor(
    private readonly journal: Journal<CopyEntry>,
    /** Milliseconds after which a hanging connection is cut. */
    private readonly hangMs = 5_000,
    /** How it speaks TLS, if at all. */
    readonly tls?: HopTls,
  ) {
    this.server = createServer({ noDelay: true }, (socket) => {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.sockets.delete(socket));
      void new Conversation(socket, this).run();
    });
  }

  async listen(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  get url(): string {
    const { port } = this.server.address() as AddressInfo;
    if (this.tls) return `${this.tls.kind === 'implicit' ? 'smtps' : 'smtp'}://shop:secret@localhost:${port}`;
    return `smtp://127.0.0.1:${port}?tls=off`;
  }

  async close(): Promise<void> {
    this.sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** The fault to show at this step, counted as shown once; undefined if there is none. */
  nextMisstep(address: string, step: 'rcpt' | 'data' | 'content' | 'refuse' | 'keep'): Misstep | undefined {
    const fault: MailFault = faultOf(address);
    const times = this.timesShown.get(address) ?? 0;
    if (fault[step] === undefined || times >= fault.times) return undefined;
    this.timesShown.set(address, times + 1);
    return fault[step];
  }

  /** Resolves when the copy is on the disk. */
  async storeCopy({ from, to }: { from: string; to: string[] }, content: Buffer): Promise<void> {
    const head = content.subarray(0, Math.max(0, content.indexOf('\r\n\r\n'))).toString('latin1');
    await this.journal.append({
      at: Date.now(),
      to,
      message_id: /^message-id:\s*(\S+)/im.exec(head)?.[1] ?? '',
      sha256: createHash('sha256').update(content).digest('hex'),
      bytes: content.length,
    });
    this.acceptedCopies += 1;
    for (const address of to) this.senders.set(address, from);
  }

  /** The envelope sender of a mail that came for this address. */
  senderTo(address: string): string | undefined {
    return this.senders.get(address);
  }

  noteInsecure(fault: TlsFault | undefined, verb: string): void {
    this.insecure.push(`${verb} ${fault ? `although TLS was ${fault}` : 'before TLS'}`);
  }

  hasMailTo(address: string): boolean {
    return this.senders.has(address);
  }

  /** Shows the fault; resolves to whether the conversation goes on. `raw` is the socket without TLS. */
  async showMisstep(socket: Socket, misstep: Misstep, raw = socket): Promise<boolean> {
    if (typeof misstep === 'object') {
      socket.write(misstep.say);
      return !misstep.say.startsWith('421');
    }
    if (misstep === 'hang') {
      await Promise.race([once(socket, 'close'), new Promise((resolve) => setTimeout(resolve, this.hangMs).unref())]);
    }
    if (misstep === 'reset') raw.resetAndDestroy();
    return false;
  }
}
