import { distinctAddresses } from '@lettermill/events';
import { sameAddress } from './addresses';
import { valueOf } from './fields';
import type { Notice } from './notice';
import { contextOf, originsOf, refusedRecipients, type RefusedRecipient } from './notice.refused';
import { GIVEN_UP, STILL_TRYING } from './notice.rules';
import type { OpenedMail } from './opened.mail';
import { readRefusal } from './refusal';
import type { FoundRecipient, ReportedRecipient } from './report';
import { isMachineReadable, isUnrelatedReport, isRefusal, mayNameNobody } from './report.senders';
import { distinctStatuses, readStatusReport, type RecipientStatus } from './status.report';

/** The recipients of a report, and what became of each: by its machine-readable fields if there are any, else by its words. */
export function recipientsOf(mail: OpenedMail, notice: Notice, cameBack: boolean): FoundRecipient[] {
  const statuses = isMachineReadable(mail.header) ? mail.statuses : [];
  const stated = statuses.length > 0 ? statuses : statusesInText(mail);
  const recipientStatuses = distinctStatuses(stated.flatMap(readStatusReport));
  if (recipientStatuses.length > 0) {
    const wording = { refused: refusedRecipients(mail.header, notice), notice, alone: recipientStatuses.length === 1 };
    return recipientStatuses.flatMap((status) => reportedRecipients(status, wording));
  }
  if (isUnrelatedReport(mail.header)) return [];
  const refusal = isRefusal(mail, notice, cameBack);
  if (statuses.length === 0 && !refusal) return [];
  const told = recipientsInWords(mail, notice);
  return told.length > 0 || !refusal || !mayNameNobody(mail, notice) ? told : [unnamedRecipient(mail, notice)];
}

function kindInWords({ header }: OpenedMail, { lines }: Notice): 'delayed' | 'bounce' {
  const all = lines.join('\n');
  const subject = valueOf(header, 'subject') ?? '';
  return STILL_TRYING.test(`${subject}\n${all}`) && !GIVEN_UP.test(all) ? 'delayed' : 'bounce';
}

const actionOf = (kind: 'delayed' | 'bounce') => (kind === 'delayed' ? 'delayed' : 'failed');

function recipientsInWords(mail: OpenedMail, notice: Notice): FoundRecipient[] {
  const kind = kindInWords(mail, notice);
  const refused = refusedRecipients(mail.header, notice);
  return refused.map((statement) => {
    const { address, words } = statement;
    const refusal = readRefusal({ action: actionOf(kind), status: null, diagnostic: '', ...statement });
    const origins = originsOf(words, refused.length === 1 ? notice.original : []);
    return { address, ...forwardedFrom(address, origins), kind, ...refusal };
  });
}

/** Some providers name an account only, or nobody: the address is theirs to know, and the return path says which mail it was. */
function unnamedRecipient(mail: OpenedMail, notice: Notice): FoundRecipient {
  const kind = kindInWords(mail, notice);
  const words = contextOf(notice.lines);
  return { kind, ...readRefusal({ action: actionOf(kind), status: null, diagnostic: '', words, context: words }) };
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

function reportedRecipients(recipientStatus: RecipientStatus, { refused, notice, alone }: Wording): FoundRecipient[] {
  const { action, status, diagnostic, original } = recipientStatus;
  const address = recipientStatus.address ?? (alone ? refused[0]?.address : undefined);
  if (address === undefined && !(alone && action === 'failed')) return [];
  if (action === 'delivered')
    return [{ address, kind: 'delivered', hard: false, status, reason: 'refused', diagnostic }];
  const ownWords = address && refused.find((one) => sameAddress(one.address, address))?.words;
  const origins = [
    ...(original === undefined ? [] : [original]),
    ...originsOf(ownWords ?? '', alone ? notice.original : []),
  ];
  const context = alone ? contextOf(notice.lines) : undefined;
  const refusal = readRefusal({ action, status, diagnostic, words: ownWords ?? context ?? '', context });
  const named = address === undefined ? {} : { address, ...forwardedFrom(address, origins) };
  return [{ ...named, kind: action === 'delayed' ? 'delayed' : 'bounce', ...refusal }];
}

function forwardedFrom(address: string, origins: readonly string[]): Pick<ReportedRecipient, 'forwardedFrom'> {
  const others = distinctAddresses(origins).filter((one) => !sameAddress(one, address));
  return others.length === 0 ? {} : { forwardedFrom: others };
}
