import type { Socket } from 'node:net';
import { causeOfError } from './smtp.fault';
import { AnswerReader } from './smtp.reader';

/** Receives what happens on a connection. */
export interface WireListener {
  /** A complete answer. `more`: the server had sent more before it could know what we send next. */
  answer(text: string, more: boolean): void;
  /** The connection is gone. `cause` is a system error code or says what happened. */
  broken(cause: string): void;
  /** The socket takes more again. */
  drained?(): void;
}

/** A connection broke while an answer was awaited. */
export class WireBroken extends Error {
  constructor(override readonly cause: string) {
    super(cause);
  }
}

/** Wraps a socket into answers and writes, with one listener at a time; an answer while nobody listens ends the connection. */
export class SmtpWire {
  dead = false;
  /** What ended the connection. */
  private cause = 'the connection broke';
  private listener: WireListener | undefined;
  private readonly reader = new AnswerReader();
  private readonly endListeners: (() => void)[] = [];

  constructor(readonly socket: Socket) {
    socket.on('data', this.onSocketData);
    socket.on('end', this.onSocketEnd);
    socket.on('close', this.onSocketClose);
    socket.on('error', this.onSocketError);
    socket.on('drain', this.onSocketDrain);
  }

  /** Sets the listener. Without one, no answer is expected: an answer then is out of turn, and ends the connection. */
  listen(listener: WireListener | undefined): void {
    this.listener = listener;
  }

  /** `ending` is called once when the connection is gone, whoever ended it. */
  onEnd(ending: () => void): void {
    if (this.dead) ending();
    else this.endListeners.push(ending);
  }

  /** Writes both in one write. Returns false if the socket wants no more until `drained`. */
  write(data: string | Buffer, more?: string): boolean {
    if (more === undefined) return this.socket.write(data);
    this.socket.cork();
    this.socket.write(data);
    const taken = this.socket.write(more);
    this.socket.uncork();
    return taken;
  }

  /** Resolves to the answer to `command`, or without one to the next answer. Rejects with `WireBroken`. */
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

  /** Ends the connection at once and calls the listener's `broken`. */
  breakOff(cause: string): void {
    if (this.dead) return;
    this.dead = true;
    this.cause = cause;
    this.socket.destroy();
    const { listener } = this;
    this.listener = undefined;
    listener?.broken(cause);
    for (const ending of this.endListeners.splice(0)) ending();
  }

  /** Hands the socket over to another owner. */
  release(): Socket {
    const { socket } = this;
    socket.off('data', this.onSocketData).off('end', this.onSocketEnd).off('close', this.onSocketClose);
    socket.off('error', this.onSocketError).off('drain', this.onSocketDrain);
    // The socket that wraps this one reports its errors.
    socket.on('error', () => undefined);
    this.dead = true;
    return socket;
  }

  private readonly onSocketData = (bytes: Buffer): void => {
    const answers = this.reader.read(bytes);
    for (let index = 0; index < answers.length; index += 1) {
      if (this.dead) return;
      if (!this.listener) return this.breakOff('an answer out of turn');
      this.listener.answer(answers[index]!, index < answers.length - 1 || this.reader.holdsMore);
    }
    if (this.reader.fault) this.breakOff(this.reader.fault.message);
  };

  private readonly onSocketEnd = (): void => {
    // A last answer without a line end.
    const last = this.reader.partialAnswer();
    if (/^[45]\d\d[ -]/.test(last)) this.listener?.answer(last, false);
    this.breakOff('the connection broke');
  };

  private readonly onSocketClose = (): void => this.breakOff('the connection broke');
  private readonly onSocketError = (error: NodeJS.ErrnoException): void => this.breakOff(causeOfError(error));
  private readonly onSocketDrain = (): void => this.listener?.drained?.();
}
