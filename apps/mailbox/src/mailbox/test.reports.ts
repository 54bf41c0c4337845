import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { pause, waitAtMost } from '@lettermill/concurrency';
import type { Logger } from '@lettermill/runtime';
import { headerBlock, type Envelope } from './mailbox.file';
import type { MailStore } from './mailbox.store';
import { complaintReport, returnReport, type ReportedMail, type ReportStamp } from './report.mails';
import { headOf, type ReturnPathReceiver } from './return.path';
import type { Aftermath } from './test.addresses';

/** How long after the mail its report comes. */
const DELAY_MS = 1_000;
/** A report that cannot be handed on is tried again for half a minute, ever more rarely. */
const MAX_PAUSE_MS = 16_000;
const GRACE_MS = 1_000;

export interface TestReportsOptions {
  store: MailStore;
  logger: Logger;
  /** Undefined while nobody reads reports. */
  receiver: () => ReturnPathReceiver | undefined;
}

/**
 * Reports about mails to test addresses, such as servers behind the next hop write. They come to the sender of the envelope: they are kept
 * like any mail, and handed on as one to the return path is. A report whose time has not come when the mailbox stops is never written.
 */
export class TestReports {
  private readonly stopping = new AbortController();
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly options: TestReportsOptions) {}

  /** Writes about the stored mail what `after` says. Not if it has no sender: whoever returned a report would do so for ever. */
  writeAbout(id: string, { from: sender }: Envelope, { returned, complained }: Aftermath): void {
    if (sender === '') return;
    if (returned.length > 0) this.begin(id, sender, (mail, stamp) => returnReport(mail, returned, stamp));
    for (const one of complained) this.begin(id, sender, (mail, stamp) => complaintReport(mail, one, stamp));
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await waitAtMost(GRACE_MS, Promise.all(this.running));
  }

  private begin(id: string, sender: string, write: (mail: ReportedMail, stamp: ReportStamp) => Buffer): void {
    const running = this.run(id, sender, write)
      .catch((err: unknown) => this.options.logger.warn({ err }, 'a report of a test address did not arrive'))
      .finally(() => this.running.delete(running));
    this.running.add(running);
  }

  private async run(id: string, sender: string, write: (mail: ReportedMail, stamp: ReportStamp) => Buffer) {
    const { store } = this.options;
    const mail = await store.raw(id);
    if (!mail) return;
    const header = headerBlock(await headOf(mail.stream));
    await pause(DELAY_MS, this.stopping.signal);
    if (this.stopping.signal.aborted) return;
    const report = write({ sender, header }, { id: randomUUID(), at: new Date() });
    await store.receive({ from: '', to: [sender] }, Readable.from([report]), report.length);
    await this.handOn(sender, report);
  }

  private async handOn(sender: string, report: Buffer): Promise<void> {
    const { signal } = this.stopping;
    for (let ms = DELAY_MS; !signal.aborted; ms *= 2) {
      try {
        return await this.options.receiver()?.deliver(sender, report);
      } catch (error) {
        if (ms > MAX_PAUSE_MS) throw error;
      }
      await pause(ms, signal);
    }
  }
}
