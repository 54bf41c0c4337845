import type { Clock, Logger } from '@lettermill/runtime';
import { MailboxSmtp } from './mailbox.smtp';
import type { ReturnPathDoor } from './return.path';
import { MailStore } from './mailbox.store';

export interface MailboxOptions {
  /** `<DATA_DIR>/mailbox`. */
  directory: string;
  logger: Logger;
  /** Of the SMTP server; 0 (default) takes a free one. */
  port?: number;
  /** Of the SMTP server; loopback by default. It asks nobody for a password. */
  host?: string;
  clock?: Clock;
}

/** The mailbox: the next hop of the embedded profile when no SMTP_URL is set, and a service of its own to try the others with. */
export class Mailbox {
  private constructor(
    readonly store: MailStore,
    readonly port: number,
    private readonly smtp: MailboxSmtp,
  ) {}

  /** Reads what is kept and begins to take mail. Rejects when the directory or the port can't be had. */
  static async open({ directory, logger, port, host, clock }: MailboxOptions): Promise<Mailbox> {
    const store = await MailStore.open({ directory, logger, clock });
    const smtp = new MailboxSmtp({ store, logger, port, host });
    const listening = await smtp.start();
    return new Mailbox(store, listening.port, smtp);
  }

  /** From now on mails to the return path are handed on, beside being kept. */
  openReturnPath(door: ReturnPathDoor): void {
    this.smtp.door = door;
  }

  /** Ends what senders are at (1 s at most), then waits until all of it is on disk. */
  async close(): Promise<void> {
    await this.smtp.stop();
    await this.store.close();
  }
}
