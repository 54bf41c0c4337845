import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { faultOf, type MailFault } from './mail.faults';
import type { MailServer } from './mail.server';
import type { TlsFault } from './mail.tls';

const END_OF_CONTENT = Buffer.from('\r\n.\r\n');

/** One connection. Handles one command after another, even if several arrive together. */
export class Conversation {
  private buffered = Buffer.alloc(0);
  private from = '';
  private to: string[] = [];
  private socket: Socket;
  private readonly tlsFault: TlsFault | undefined;
  private secured = false;
  /** Whether a client may say anything of importance. */
  private trustworthy: boolean;

  constructor(
    private readonly raw: Socket,
    private readonly server: MailServer,
  ) {
    this.socket = raw;
    this.tlsFault = server.tls?.nextFault();
    this.trustworthy = !server.tls;
  }

  async run(): Promise<void> {
    try {
      if (this.server.tls?.kind !== 'implicit' || (await this.beginTls())) await this.handleCommands();
    } catch {
      // The client disconnected in the middle.
    }
    if (!this.socket.destroyed) this.socket.destroySoon();
  }

  private async handleCommands(): Promise<void> {
    this.say('220 ledger.example ESMTP');
    for (let line = await this.readLine(); line !== undefined; line = await this.readLine()) {
      if (!(await this.handleCommand(line))) return;
    }
  }

  /** Resolves to whether the conversation goes on. */
  private async handleCommand(line: string): Promise<boolean> {
    const verb = line.slice(0, 4).toUpperCase();
    if (!this.trustworthy && !['EHLO', 'STAR', 'QUIT'].includes(verb)) this.server.noteInsecure(this.tlsFault, verb);
    if (verb === 'EHLO') return this.say(this.offer());
    if (verb === 'STAR' && this.tlsFault === 'refused') return this.say('454 4.7.0 TLS is not available');
    if (verb === 'STAR') {
      this.say(this.tlsFault === 'injected' ? '220 go on\r\n250 2.0.0 injected' : '220 go on');
      return this.beginTls();
    }
    if (verb === 'AUTH') return this.say('235 2.7.0 welcome');
    if (verb === 'QUIT') return this.say('221 bye') && false;
    if (verb === 'RCPT') return this.handleRecipient(/<(.*)>/.exec(line)?.[1] ?? '');
    if (verb === 'DATA') return this.handleData();
    if (verb === 'MAIL' || verb === 'RSET') this.to = [];
    if (verb === 'MAIL') this.from = /<(.*?)>/.exec(line)?.[1] ?? '';
    return this.say('250 2.0.0 ok');
  }

  private offer(): string {
    const { tls } = this.server;
    const beforeTls = tls && !this.secured && tls.kind === 'starttls' && this.tlsFault !== 'unoffered';
    const more = [...(beforeTls ? ['STARTTLS'] : []), ...(tls ? ['AUTH PLAIN LOGIN'] : [])];
    const lines = ['ledger.example', 'PIPELINING', ...more, '8BITMIME'];
    return `${lines.map((line) => `250-${line}\r\n`).join('')}250 SMTPUTF8`;
  }

  /** Resolves to whether the conversation goes on. */
  private async beginTls(): Promise<boolean> {
    const tls = this.server.tls!;
    const socket = await tls.begin(this.raw, this.tlsFault);
    if (!socket) return false;
    this.socket = socket;
    this.buffered = Buffer.alloc(0);
    this.secured = true;
    this.trustworthy = tls.isTrustworthy(this.tlsFault);
    return this.tlsFault !== 'gone';
  }

  private async handleRecipient(address: string): Promise<boolean> {
    const selectsFault = this.to.length === 0 || address.startsWith('cc');
    const misstep = selectsFault ? this.server.nextMisstep(address, 'rcpt') : undefined;
    if (misstep) return this.server.showMisstep(this.socket, misstep, this.raw);
    this.to.push(address);
    return this.say('250 2.1.5 ok');
  }

  private async handleData(): Promise<boolean> {
    const [main] = this.to;
    if (main === undefined) return this.say('503 5.5.1 who is it for');
    const misstep = this.server.nextMisstep(main, 'data');
    if (misstep) return this.server.showMisstep(this.socket, misstep, this.raw);
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
    if (refusal) return this.server.showMisstep(this.socket, refusal, this.raw);
    await this.server.storeCopy({ from: this.from, to: this.to }, content);
    const { delay } = faultOf(main) as MailFault;
    if (delay) await pause(delay);
    const misstep = this.server.nextMisstep(main, 'keep');
    if (misstep) return this.server.showMisstep(this.socket, misstep, this.raw);
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
