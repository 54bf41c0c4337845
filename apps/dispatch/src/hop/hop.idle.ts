import type { SmtpConnection } from '../smtp/smtp.connection';

/** Open connections that carry nothing. The one used last is taken first; one that stays too long is handed to `onExpired`. */
export class IdleConnections {
  private readonly all: { connection: SmtpConnection; timer: NodeJS.Timeout }[] = [];

  constructor(
    private readonly maxIdleMs: number,
    private readonly onExpired: (connection: SmtpConnection) => void,
  ) {}

  get size(): number {
    return this.all.length;
  }

  put(connection: SmtpConnection): void {
    const timer = setTimeout(() => this.onExpired(connection), this.maxIdleMs);
    timer.unref();
    this.all.push({ connection, timer });
  }

  take(): SmtpConnection | undefined {
    const last = this.all.pop();
    clearTimeout(last?.timer);
    return last?.connection;
  }

  /** Removes the connection if it is here; returns whether it was. */
  remove(connection: SmtpConnection): boolean {
    const index = this.all.findIndex((one) => one.connection === connection);
    if (index >= 0) clearTimeout(this.all.splice(index, 1)[0]!.timer);
    return index >= 0;
  }

  list(): SmtpConnection[] {
    return this.all.map(({ connection }) => connection);
  }
}
