import { Inject, Injectable } from '@nestjs/common';
import { pause } from '@lettermill/concurrency';
import { EventPublisher } from '@lettermill/log';
import { Problem, unavailable } from '@lettermill/problems';
import type { Config } from '@lettermill/config';
import { CLOCK, CONFIG, type Clock } from '@lettermill/runtime';
import { DELIVERY_STORE, type DeliveryRecords, type StoredDelivery } from '../deliveries/deliveries.store';
import { Outcomes } from '../sending/outcomes';
import type { Report, ReportedRecipient, ReportKind } from './report';
import { awaitsAttempt, endByReport, reportEvents } from './report.events';
import { cameBack, findingsOf, matchOf, type Finding } from './report.match';
import { readReport } from './report.reader';
import { reportTime } from './report.time';

/** A report may come before the next hop's answer is recorded: this is how often, and at what interval, we look whether it is. */
const MAX_POLLS = 20;
const POLL_INTERVAL_MS = 100;

export interface InboundMail {
  accountId: string;
  raw: Buffer;
  /** The recipient in the envelope, if known. */
  envelopeTo: string | null;
}

/** What was understood of an incoming mail. The fields of the first recipient are repeated at the top. */
export interface InboundAnswer {
  kind: ReportKind;
  message_id: string | null;
  recipient: string | null;
  hard: boolean;
  status: string | null;
  reason: string | null;
  recipients: {
    address: string;
    kind: ReportKind;
    hard: boolean;
    status: string | null;
    reason: string;
    detail: string;
  }[];
  /** Whether it is now in the timeline of the message. */
  recorded: boolean;
}

/** Takes mails about mails: reads them, finds the message, and reports what became of it. */
@Injectable()
export class InboundReports {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(DELIVERY_STORE) private readonly store: DeliveryRecords,
    private readonly publisher: EventPublisher,
    private readonly outcomes: Outcomes,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  /** When this resolves, the events are durable on the log. Rejects with `return_path_forged`; faults of log and store are retryable. */
  async take({ accountId, raw, envelopeTo }: InboundMail): Promise<InboundAnswer> {
    const report = await readReport(raw, (addresses) => cameBack(this.config, addresses, envelopeTo));
    const match = matchOf(this.config, accountId, report, envelopeTo);
    if ('forged' in match) {
      throw new Problem('return_path_forged', 'The mail is addressed to a return path that was not signed here.');
    }
    if ('unknown' in match) return answerForUnknown(report);
    for (let poll = 0; poll < MAX_POLLS; poll += 1) {
      const [recalled] = await this.store.find([match.name]);
      if (!recalled) return answerForUnknown(report);
      const findings = findingsOf(recalled, report);
      const recorded = await this.record(recalled, findings, reportTime(report, recalled.messageId, this.now()));
      const recipients = findings.map(({ recipient, address }) => ({ ...recipient, address }));
      if (recorded !== 'not yet') return answerOf(report, recalled.messageId, recipients, recorded);
      await pause(POLL_INTERVAL_MS);
    }
    throw unavailable('The mail is being sent at this moment. A report about it is recorded once the attempt is over.');
  }

  /**
   * Resolves to whether there was anything to report; to `not yet` while an attempt is in progress that the report may be about, or if
   * another began in the meantime.
   */
  private async record(recalled: StoredDelivery, findings: Finding[], at: number): Promise<boolean | 'not yet'> {
    if (awaitsAttempt(recalled, findings)) return 'not yet';
    const events = reportEvents(recalled, findings, at);
    const end = endByReport(recalled, events);
    if (end && !(await this.outcomes.order(recalled, end.next, end.told))) return 'not yet';
    const others = events.filter((event) => event !== end?.told);
    if (others.length > 0) await this.publisher.publish(others);
    return events.length > 0;
  }
}

const answerForUnknown = (report: Report) => answerOf(report, null, report.recipients, false);

function answerOf(
  report: Report,
  messageId: string | null,
  recipients: readonly ReportedRecipient[],
  recorded: boolean,
): InboundAnswer {
  const reported = recipients.map(({ address, kind, hard, status, reason, diagnostic: detail }) => {
    return { address, kind, hard, status, reason, detail };
  });
  const first = reported.find(({ kind }) => kind === report.kind) ?? reported[0];
  return {
    kind: report.kind,
    message_id: messageId,
    recipient: first?.address ?? null,
    hard: first?.hard ?? false,
    status: first?.status ?? null,
    reason: first?.reason ?? null,
    recipients: reported,
    recorded,
  };
}
