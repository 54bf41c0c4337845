import { Inject, Injectable } from '@nestjs/common';
import { timeOfId } from '@lettermill/events';
import { EventPublisher } from '@lettermill/log';
import { Problem } from '@lettermill/problems';
import { CLOCK, CONFIG, type Clock, type Config } from '@lettermill/runtime';
import { DELIVERY_STORE, type DeliveryRecords } from '../deliveries/deliveries.store';
import type { Report, ReportedRecipient, ReportKind } from './report';
import { reportEvents } from './report.events';
import { findingsOf, matchOf } from './report.match';
import { readReport } from './report.reader';

export interface InboundMail {
  accountId: string;
  raw: Buffer;
  /** Whom the envelope named, where that is known. */
  envelopeTo: string | null;
}

/** What was understood of a mail that came in. The fields of the first recipient stand at the top. */
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
  /** Whether it is in the timeline of the message now. */
  recorded: boolean;
}

/** Takes mails about mails: reads them, finds the message, tells what became of it. */
@Injectable()
export class Inbound {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(DELIVERY_STORE) private readonly store: DeliveryRecords,
    private readonly publisher: EventPublisher,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  /** What it tells is durable on the log when this resolves. Throws `return_path_forged`; faults of log and store are retryable. */
  async take({ accountId, raw, envelopeTo }: InboundMail): Promise<InboundAnswer> {
    const report = await readReport(raw);
    const match = matchOf(this.config, accountId, report, envelopeTo);
    if ('forged' in match) {
      throw new Problem('return_path_forged', 'The mail is addressed to a return path that was not signed here.');
    }
    const [recalled] = 'name' in match ? await this.store.find([match.name]) : [];
    if (!recalled) return answerOf(report, null, report.recipients, false);
    const findings = findingsOf(recalled, report);
    const events = reportEvents(recalled, findings, toldAt(report, recalled.messageId, this.now()));
    if (events.length > 0) await this.publisher.publish(events);
    const recipients = findings.map(({ recipient, address }) => ({ ...recipient, address }));
    return answerOf(report, recalled.messageId, recipients, events.length > 0);
  }
}

/** A report is as old as it says, but no older than its message and not from the future: clocks of others go wrong. */
function toldAt({ writtenAt }: Report, messageId: string, now: number): number {
  return Math.max(Math.min(writtenAt ?? now, now), Math.min(timeOfId(messageId), now));
}

function answerOf(
  { kind }: Report,
  messageId: string | null,
  recipients: readonly ReportedRecipient[],
  recorded: boolean,
): InboundAnswer {
  const told = recipients.map(({ address, diagnostic, ...one }) => {
    return { address, kind: one.kind, hard: one.hard, status: one.status, reason: one.reason, detail: diagnostic };
  });
  const first = told.find((one) => one.kind === kind) ?? told[0];
  return {
    kind,
    message_id: messageId,
    recipient: first?.address ?? null,
    hard: first?.hard ?? false,
    status: first?.status ?? null,
    reason: first?.reason ?? null,
    recipients: told,
    recorded,
  };
}
