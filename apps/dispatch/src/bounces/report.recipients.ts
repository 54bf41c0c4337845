import { distinctAddresses, sameAddress } from './addresses';
import { valueOf } from './fields';
import type { Notice } from './notice';
import { contextOf, originsOf, refusedRecipients, type RefusedRecipient } from './notice.refused';
import { GIVEN_UP, STILL_TRYING } from './notice.rules';
import type { OpenedMail } from './opened.mail';
import { readRefusal } from './refusal';
import type { ReportedRecipient } from './report';
import { isMachineReadable, isUnrelatedReport, isRefusal } from './report.senders';
import { distinctStatuses, readStatusReport, type RecipientStatus } from './status.report';

/** The recipients that the report names, and what became of each: by its machine-readable fields if there are any, else by its words. */
export function recipientsOf(mail: OpenedMail, notice: Notice): ReportedRecipient[] {
  const statuses = isMachineReadable(mail.header) ? mail.statuses : [];
  const stated = statuses.length > 0 ? statuses : statusesInText(mail);
  const recipientStatuses = distinctStatuses(stated.flatMap(readStatusReport));
  if (recipientStatuses.length > 0) {
    const wording = { refused: refusedRecipients(mail.header, notice), notice, alone: recipientStatuses.length === 1 };
    return recipientStatuses.flatMap((status) => reportedRecipients(status, wording));
  }
  if (isUnrelatedReport(mail.header) || (statuses.length === 0 && !isRefusal(mail, notice))) return [];
  const all = notice.lines.join('\n');
  const subject = valueOf(mail.header, 'subject') ?? '';
  const delayed = STILL_TRYING.test(`${subject}\n${all}`) && !GIVEN_UP.test(all);
  const action = delayed ? 'delayed' : 'failed';
  const refused = refusedRecipients(mail.header, notice);
  return refused.map(({ address, ...statement }) => {
    const refusal = readRefusal({ action, status: null, diagnostic: '', ...statement });
    const origins = originsOf(statement.words, refused.length === 1 ? notice.original : []);
    return { address, ...forwardedFrom(address, origins), kind: delayed ? 'delayed' : 'bounce', ...refusal };
  });
}

/** Some servers write the machine-readable fields into the text for people, or break the boundaries of the parts. */
function statusesInText({ text, header, source }: OpenedMail): string[] {
  if (!isMachineReadable(header)) return [];
  for (const searched of [text, source]) {
    const at = searched.search(/^(?:final|original)-recipient:/im);
    const before = at < 0 ? -1 : searched.lastIndexOf('\n\n', at);
    if (at >= 0) return [searched.slice(Math.max(before, 0)).replace(/\n--[^\n]*\n[\s\S]*$/, '\n')];
  }
  return [];
}

/** What the text for people adds to the machine-readable fields. */
interface Wording {
  refused: readonly RefusedRecipient[];
  notice: Notice;
  /** There is only one recipient. */
  alone: boolean;
}

function reportedRecipients(
  recipientStatus: RecipientStatus,
  { refused, notice, alone }: Wording,
): ReportedRecipient[] {
  const address = recipientStatus.address ?? (alone ? refused[0]?.address : undefined);
  if (address === undefined) return [];
  const { action, status, diagnostic, original } = recipientStatus;
  if (action === 'delivered')
    return [{ address, kind: 'delivered', hard: false, status, reason: 'refused', diagnostic }];
  const ownWords = refused.find((one) => sameAddress(one.address, address))?.words;
  const origins = [
    ...(original === undefined ? [] : [original]),
    ...originsOf(ownWords ?? '', alone ? notice.original : []),
  ];
  const context = alone ? { context: contextOf(notice.lines) } : {};
  const refusal = readRefusal({ action, status, diagnostic, words: ownWords ?? context.context ?? '', ...context });
  const kind = action === 'delayed' ? 'delayed' : 'bounce';
  return [{ address, ...forwardedFrom(address, origins), kind, ...refusal }];
}

function forwardedFrom(address: string, origins: readonly string[]): Pick<ReportedRecipient, 'forwardedFrom'> {
  const others = distinctAddresses(origins).filter((one) => !sameAddress(one, address));
  return others.length === 0 ? {} : { forwardedFrom: others };
}
