import type { Socket } from 'node:net';
import { AnswerReader } from './smtp.reader';

/** Whoever leads the conversation. */
export interface WireListener {
  /** A whole answer. `more`: the server had said more before it could know what comes next from us. */
  answer(text: string, more: boolean): void;
  /** The connection is gone. `cause` is a code of the system or says what happened. */
  broken(cause: string): void;
  /** What was written has been taken. */
  drained?(): void;
}

/** A connection broke while something was waited for. */
export class WireBroken extends Error {
  constructor(override readonly cause: string) {
    super(cause);
  }
}

/** A socket seen as answers and writes, with one listener at a time; nothing is heard while nobody listens. */
export class SmtpWire {
  dead = false;
  /** What ended it. */
  private cause = 'the connection broke';
  private listener: WireListener | undefined;
  private readonly reader = new AnswerReader();
  private readonly endings: (() => void)[] = [];

  constructor(readonly socket: Socket) {
    socket.on('data', this.hear);
    socket.on('end', this.ended);
    socket.on('close', this.closed);
    socket.on('error', this.failed);
    socket.on('drain', this.drained);
  }

  /** Nobody is waited for after this: an answer then is out of turn, and ends the connection. */
  listen(listener: WireListener | undefined): void {
    this.listener = listener;
  }

  /** Called once when the connection is gone, whoever ended it. */
  onEnd(ending: () => void): void {
    if (this.dead) ending();
    else this.endings.push(ending);
  }

  /** All of it in one write. False where the socket wants to be left alone until `drained`. */
  write(data: string | Buffer, more?: string): boolean {
    if (more === undefined) return this.socket.write(data);
    this.socket.cork();
    this.socket.write(data);
    const taken = this.socket.write(more);
    this.socket.uncork();
    return taken;
  }

  /** The answer to a command, or the next one. Rejects with `WireBroken`. */
  ask(command?: string): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.dead) return reject(new WireBroken(this.cause));
      this.listen({
        answer: (text, more) => {
          this.listen(undefined);
          if (more) this.breakOff('an answer out of turn');
          resolve(text);
        },
        broken: (cause) => reject(new WireBroken(cause)),
      });
      if (command !== undefined) this.write(`${command}\r\n`);
    });
  }

  /** Ends the connection at once; the listener hears of it. */
  breakOff(cause: string): void {
    if (this.dead) return;
    this.dead = true;
    this.cause = cause;
    this.socket.destroy();
    const { listener } = this;
    this.listener = undefined;
    listener?.broken(cause);
    for (const ending of this.endings.splice(0)) ending();
  }

  /** Leaves the socket to somebody else. */
  release(): Socket {
    const { socket } = this;
    socket.off('data', this.hear).off('end', this.ended).off('close', this.closed);
    socket.off('error', this.failed).off('drain', this.drained);
    // Whoever wraps it hears of its errors through the wrapping.
    socket.on('error', () => undefined);
    this.dead = true;
    return socket;
  }

  private readonly hear = (bytes: Buffer): void => {
    const answers = this.reader.read(bytes);
    for (let index = 0; index < answers.length; index += 1) {
      if (this.dead) return;
      if (!this.listener) return this.breakOff('an answer out of turn');
      this.listener.answer(answers[index]!, index < answers.length - 1 || this.reader.holdsMore);
    }
    if (this.reader.fault) this.breakOff(this.reader.fault.message);
  };

  private readonly ended = (): void => {
    // Said in the last breath, without a line end.
    const last = this.reader.cutOff();
    if (/^[45]\d\d[ -]/.test(last)) this.listener?.answer(last, false);
    this.breakOff('the connection broke');
  };

  private readonly closed = (): void => this.breakOff('the connection broke');
  private readonly failed = (error: NodeJS.ErrnoException): void => this.breakOff(error.code ?? error.message);
  private readonly drained = (): void => this.listener?.drained?.();
}
