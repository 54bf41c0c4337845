import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** What a scripted server does at a step instead of accepting it. */
export type Misstep = 'cut' | 'hang' | string;

/** A function is called each time; undefined means that the step is accepted. */
type Step = Misstep | (() => Misstep | undefined);

export interface Script {
  greeting?: Misstep;
  ehlo?: Misstep;
  helo?: Misstep;
  startTls?: Misstep;
  mail?: Step;
  /** At MAIL of the second mail on a connection and of later ones. */
  laterMail?: Misstep;
  rcpt?: Step;
  data?: Misstep;
  /** In the middle of the content, once that many bytes have arrived. */
  contentAfter?: { bytes: number; step: Misstep };
  /** After the final dot. */
  dot?: Step;
  /** Hangs up with the answer to so many mails. */
  hangUpAfter?: number;
}

/** A small server that breaks the conversation where a script says. It offers only what `ehlo` says. */
export class RawServer {
  commands: string[] = [];
  contents: string[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  constructor(private readonly script: (connection: number) => Script) {
    let count = 0;
    this.server = createServer((socket) => this.serve(socket, this.script((count += 1))));
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  async close(): Promise<void> {
    this.sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => this.server.close(resolve));
  }

  private serve(socket: Socket, script: Script): void {
    this.sockets.add(socket);
    let buffered = '';
    let inContent = false;
    let broken = false;
    let mails = 0;
    const answer = (step: Step | undefined, well: string): void => {
      const misstep = typeof step === 'function' ? step() : step;
      if (misstep === 'hang') broken = true;
      else if (misstep === 'cut') {
        broken = true;
        socket.destroy();
      } else socket.write(`${misstep ?? well}\r\n`);
    };
    socket.on('error', () => undefined);
    socket.on('close', () => this.sockets.delete(socket));
    answer(script.greeting, '220 raw.example.com');
    socket.on('data', (chunk) => {
      buffered += chunk.toString('latin1');
      while (!broken && !socket.destroyed) {
        if (inContent) {
          const end = buffered.indexOf('\r\n.\r\n');
          if (end < 0) {
            const { contentAfter } = script;
            if (contentAfter && buffered.length >= contentAfter.bytes) answer(contentAfter.step, '');
            return;
          }
          this.contents.push(buffered.slice(0, end));
          buffered = buffered.slice(end + 5);
          inContent = false;
          answer(script.dot, '250 taken');
          if (mails === script.hangUpAfter) socket.end();
          continue;
        }
        const end = buffered.indexOf('\r\n');
        if (end < 0) return;
        const command = buffered.slice(0, end);
        buffered = buffered.slice(end + 2);
        this.commands.push(command);
        if (/^EHLO/.test(command)) answer(script.ehlo, '250 fine');
        else if (/^HELO/.test(command)) answer(script.helo, '250 fine');
        else if (/^STARTTLS/.test(command)) answer(script.startTls, '250 fine');
        else if (/^MAIL/.test(command)) {
          const first = (mails += 1) === 1;
          answer(first || typeof script.mail === 'function' ? script.mail : script.laterMail, '250 fine');
        } else if (/^RCPT/.test(command)) answer(script.rcpt, '250 fine');
        else if (/^DATA/.test(command)) {
          answer(script.data, '354 go on');
          inContent = script.data === undefined;
        } else answer(undefined, '250 fine');
      }
    });
  }
}
