import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { CopyEntry } from './entries';
import type { Journal } from './journal';
import { faultOf, type MailFault, type Misstep } from './mail.faults';

const END_OF_CONTENT = Buffer.from('\r\n.\r\n');

/**
 * An SMTP server with faults. Each copy that it accepts is in the journal on disk before it replies to the final dot. The address of
 * the first recipient selects the fault (mail.faults.ts); a cc that is deferred is selected by its own.
 */
export class MailServer {
  private readonly sockets = new Set<Socket>();
  /** How often the fault of an address was shown. */
  private readonly timesShown = new Map<string, number>();
  private readonly server: Server;
  /** Addresses for which a copy came. */
  private readonly arrived = new Set<string>();
  acceptedCopies = 0;

  constructor(
    private readonly journal: Journal<CopyEntry>,
    /** Milliseconds after which a hanging connection is cut. */
    private readonly hangMs = 5_000,
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
    return `smtp://127.0.0.1:${(this.server.address() as AddressInfo).port}?tls=off`;
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
  async storeCopy(to: string[], content: Buffer): Promise<void> {
    const head = content.subarray(0, Math.max(0, content.indexOf('\r\n\r\n'))).toString('latin1');
    await this.journal.append({
      at: Date.now(),
      to,
      message_id: /^message-id:\s*(\S+)/im.exec(head)?.[1] ?? '',
      sha256: createHash('sha256').update(content).digest('hex'),
      bytes: content.length,
    });
    this.acceptedCopies += 1;
    for (const address of to) this.arrived.add(address);
  }

  hasMailTo(address: string): boolean {
    return this.arrived.has(address);
  }

  /** Shows the fault; resolves to whether the conversation goes on. */
  async showMisstep(socket: Socket, misstep: Misstep): Promise<boolean> {
    if (typeof misstep === 'object') {
      socket.write(misstep.say);
      return !misstep.say.startsWith('421');
    }
    if (misstep === 'hang') {
      await Promise.race([once(socket, 'close'), new Promise((resolve) => setTimeout(resolve, this.hangMs).unref())]);
    }
    if (misstep === 'reset') socket.resetAndDestroy();
    return false;
  }
}

/** One connection. Handles one command after another, even if several arrive together. */
class Conversation {
  private buffered = Buffer.alloc(0);
  private to: string[] = [];

  constructor(
    private readonly socket: Socket,
    private readonly server: MailServer,
  ) {}

  async run(): Promise<void> {
    const { socket } = this;
    socket.write('220 ledger.example ESMTP\r\n');
    try {
      for (let line = await this.readLine(); line !== undefined; line = await this.readLine()) {
        if (!(await this.handleCommand(line))) break;
      }
    } catch {
      // The client disconnected in the middle.
    }
    if (!socket.destroyed) socket.destroySoon();
  }

  /** Resolves to whether the conversation goes on. */
  private async handleCommand(line: string): Promise<boolean> {
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'EHLO') return this.say('250-ledger.example\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 SMTPUTF8');
    if (verb === 'QUIT') return this.say('221 bye') && false;
    if (verb === 'RCPT') return this.handleRecipient(/<(.*)>/.exec(line)?.[1] ?? '');
    if (verb === 'DATA') return this.handleData();
    if (verb === 'MAIL' || verb === 'RSET') this.to = [];
    return this.say('250 2.0.0 ok');
  }

  private async handleRecipient(address: string): Promise<boolean> {
    const selectsFault = this.to.length === 0 || address.startsWith('cclater-');
    const misstep = selectsFault ? this.server.nextMisstep(address, 'rcpt') : undefined;
    if (misstep) return this.server.showMisstep(this.socket, misstep);
    this.to.push(address);
    return this.say('250 2.1.5 ok');
  }

  private async handleData(): Promise<boolean> {
    const [main] = this.to;
    if (main === undefined) return this.say('503 5.5.1 who is it for');
    const misstep = this.server.nextMisstep(main, 'data');
    if (misstep) return this.server.showMisstep(this.socket, misstep);
    this.say('354 go on');
    if (this.server.nextMisstep(main, 'content')) {
      await this.readMore();
      return false;
    }
    const content = await this.readContent();
    if (content === undefined) return false;
    return this.acceptContent(main, content);
  }

  private async acceptContent(main: string, content: Buffer): Promise<boolean> {
    const refusal = this.server.nextMisstep(main, 'refuse');
    if (refusal) return this.server.showMisstep(this.socket, refusal);
    await this.server.storeCopy(this.to, content);
    const { delay } = faultOf(main) as MailFault;
    if (delay) await pause(delay);
    const misstep = this.server.nextMisstep(main, 'keep');
    if (misstep) return this.server.showMisstep(this.socket, misstep);
    return this.say('250 2.0.0 kept');
  }

  /** The content without dot-stuffing; undefined if the client disconnected first. */
  private async readContent(): Promise<Buffer | undefined> {
    // The end mark includes the end of the previous line: an empty content is only a dot.
    this.buffered = Buffer.concat([Buffer.from('\r\n'), this.buffered]);
    for (;;) {
      const end = this.buffered.indexOf(END_OF_CONTENT);
      if (end >= 0) {
        const stuffed = this.buffered.subarray(0, end + 2).toString('latin1');
        this.buffered = this.buffered.subarray(end + END_OF_CONTENT.length);
        return Buffer.from(stuffed.replaceAll('\r\n..', '\r\n.').slice(2), 'latin1');
      }
      if (!(await this.readMore())) return undefined;
    }
  }

  private async readLine(): Promise<string | undefined> {
    for (;;) {
      const end = this.buffered.indexOf('\r\n');
      if (end >= 0) {
        const line = this.buffered.subarray(0, end).toString('utf8');
        this.buffered = this.buffered.subarray(end + 2);
        return line;
      }
      if (!(await this.readMore())) return undefined;
    }
  }

  private async readMore(): Promise<boolean> {
    const { socket } = this;
    for (;;) {
      const chunk = socket.read() as Buffer | null;
      if (chunk) {
        this.buffered = Buffer.concat([this.buffered, chunk]);
        return true;
      }
      if (socket.readableEnded || socket.destroyed) return false;
      await new Promise<void>((resolve) => {
        const go = () => {
          for (const event of ['readable', 'end', 'close']) socket.off(event, go);
          resolve();
        };
        for (const event of ['readable', 'end', 'close']) socket.on(event, go);
      });
    }
  }

  private say(text: string): true {
    this.socket.write(`${text}\r\n`);
    return true;
  }
}
