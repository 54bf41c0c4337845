import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** An SMTP conversation by hand: sends a line and resolves to the whole reply. */
export class SmtpConversation {
  private received = '';
  private constructor(readonly socket: Socket) {
    socket.on('data', (data) => (this.received += data.toString()));
  }

  static async begin(port: number): Promise<SmtpConversation> {
    const talk = new SmtpConversation(connect(port, '127.0.0.1'));
    await talk.reply();
    return talk;
  }

  async send(line: string): Promise<string> {
    this.socket.write(`${line}\r\n`);
    return this.reply();
  }

  async reply(): Promise<string> {
    for (;;) {
      const whole = /^(?:\d{3}-.*\r\n)*\d{3} .*\r\n/.exec(this.received)?.[0];
      if (whole) {
        this.received = this.received.slice(whole.length);
        return whole;
      }
      await once(this.socket, 'data');
    }
  }

  async open(to = 'ada@example.com'): Promise<void> {
    await this.send('EHLO test');
    await this.send('MAIL FROM:<sam@example.com>');
    await this.send(`RCPT TO:<${to}>`);
    await this.send('DATA');
  }
}
