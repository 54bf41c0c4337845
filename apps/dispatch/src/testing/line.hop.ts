import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterwards } from './test.servers';

const OFFER = '250-hop\r\n250-PIPELINING\r\n250 SIZE 100000\r\n';
/** What the hop answers to the final dot of the mail with that subject; `hold`: nothing until it is released. */
export type AtDot = (subject: string) => string | 'cut' | 'hold';

/** A hop that takes one connection at a time, and records what arrived together in one piece. */
export class LineHop {
  /** Subjects of mails whose content arrived completely. */
  readonly taken: string[] = [];
  /** First words of the lines of each piece; `.` is a final dot. */
  readonly pieces: string[] = [];
  connections = 0;
  rcpt = '250 fine';
  greeting = '220 hop ESMTP Postfix\r\n';
  /** Answers to the next MAIL commands, instead of accepting them. */
  mail: string[] = [];
  /** What happens to commands behind a final dot: `hangUp` leaves the dot unanswered, too. */
  afterDot: 'heard' | 'refused' | 'dropped' | 'hangUp' = 'heard';
  /** What it answers to these if it refuses them. */
  refusal = '503 Bad sequence of commands';
  private withheld: (() => void)[] = [];
  private readonly server = createServer((socket) => this.serve(socket));

  constructor(
    private readonly atDot: AtDot,
    private readonly offer = OFFER,
  ) {}

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get withheldCount(): number {
    return this.withheld.length;
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    afterwards(() => void this.server.close());
    return this;
  }

  release(): void {
    for (const go of this.withheld.splice(0)) go();
  }

  private serve(socket: Socket): void {
    this.connections += 1;
    afterwards(() => void socket.destroy());
    socket.on('error', () => undefined).write(this.greeting);
    const waiting: string[] = [];
    let rest = '';
    let content: string[] | undefined;
    let busy = false;
    const proceed = () => {
      while (!busy && waiting.length > 0 && !socket.destroyed) {
        const line = waiting.shift()!;
        if (content && line !== '.') content.push(line);
        else if (content) {
          const subject = content[0]!.slice('Subject: '.length);
          content = undefined;
          this.taken.push(subject);
          if (waiting.length > 0 && this.afterDot === 'hangUp') return void socket.destroy();
          const unheard = this.afterDot === 'heard' ? [] : waiting.splice(0);
          const answer = this.atDot(subject);
          if (answer === 'cut') socket.destroy();
          else if (answer !== 'hold') {
            const refusals = this.afterDot === 'refused' ? unheard : [];
            socket.write([answer, ...refusals.map(() => this.refusal)].join('\r\n') + '\r\n');
          } else {
            busy = true;
            this.withheld.push(() => {
              busy = false;
              socket.write('250 taken\r\n');
              proceed();
            });
          }
        } else if (line.startsWith('EHLO')) socket.write(this.offer);
        else if (line.startsWith('RCPT')) socket.write(`${/refused/.test(line) ? '550 5.1.1 no' : this.rcpt}\r\n`);
        else if (line.startsWith('MAIL')) socket.write(`${this.mail.shift() ?? '250 fine'}\r\n`);
        else if (line === 'DATA') {
          content = [];
          socket.write('354 go on\r\n');
        } else socket.write('250 fine\r\n');
      }
    };
    socket.on('data', (bytes) => {
      rest += bytes.toString('latin1');
      const lines = rest.split('\r\n');
      rest = lines.pop()!;
      const known = lines.filter((line) => /^(EHLO|MAIL|RCPT|DATA|RSET|\.$)/.test(line));
      this.pieces.push(known.map((line) => line.slice(0, 4)).join(' '));
      waiting.push(...lines);
      proceed();
    });
  }
}
