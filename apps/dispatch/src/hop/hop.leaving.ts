import type { SmtpConnection } from '../smtp/smtp.connection';

/** The hop may take this long to notice that a connection is closed. */
const NOTICED_AFTER_MS = 20;

/** Connections that say goodbye. A hop counts them until they are closed, and may refuse others until then. */
export class LeavingConnections {
  private readonly all = new Set<SmtpConnection>();

  /** `left` is called when the hop no longer counts one of them. */
  constructor(private readonly left: () => void) {}

  get size(): number {
    return this.all.size;
  }

  add(connection: SmtpConnection): void {
    if (connection.usable) {
      this.all.add(connection);
      connection.onEnd(() => setTimeout(() => this.remove(connection), NOTICED_AFTER_MS).unref());
    }
    connection.quit();
  }

  private remove(connection: SmtpConnection): void {
    this.all.delete(connection);
    this.left();
  }
}
