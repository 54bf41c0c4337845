import type { Clock, Logger } from '@lettermill/runtime';
import { MailboxSmtp } from './mailbox.smtp';
import type { ReturnPathReceiver } from './return.path';
import { MailStore } from './mailbox.store';

export interface MailboxOptions {
  /** `<DATA_DIR>/mailbox`. */
  directory: string;
  logger: Logger;
  /** Port of the SMTP server; 0 (the default) takes any free one. */
  port?: number;
  /** Address of the SMTP server; loopback by default. It requires no password. */
  host?: string;
  clock?: Clock;
}

/** The mailbox: the next hop of the embedded profile if no SMTP_URL is set, and a service for trying out the cluster profile. */
export class Mailbox {
  private constructor(
    readonly store: MailStore,
    readonly port: number,
    private readonly smtp: MailboxSmtp,
  ) {}

  /** Reads the stored mails and starts to accept mail. Rejects if the directory or the port is not available. */
  static async open({ directory, logger, port, host, clock }: MailboxOptions): Promise<Mailbox> {
    const store = await MailStore.open({ directory, logger, clock });
    const smtp = new MailboxSmtp({ store, logger, port, host });
    const listening = await smtp.start();
    return new Mailbox(store, listening.port, smtp);
  }

  /** From now on mails to the return path are passed on, besides being kept. */
  openReturnPath(receiver: ReturnPathReceiver): void {
    this.smtp.returnPath = receiver;
  }

  /** Lets senders finish their mails (within 1 s), then waits until all of them are on disk. */
  async close(): Promise<void> {
    await this.smtp.stop();
    await this.store.close();
  }
}
