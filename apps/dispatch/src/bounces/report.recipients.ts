import { distinctAddresses, sameAddress } from './addresses';
import { valueOf } from './fields';
import type { Notice } from './notice';
import { contextOf, originsOf, refusedIn, type Refused } from './notice.refused';
import { GIVEN_UP, STILL_TRYING } from './notice.rules';
import type { OpenedMail } from './opened.mail';
import { readRefusal } from './refusal';
import type { ReportedRecipient } from './report';
import { isForMachines, isOtherReport, isRefusal } from './report.senders';
import { distinctStatuses, readStatusReport, type RecipientStatus } from './status.report';

/** The recipients that the report names, and what became of each: by its machine-readable fields if there are any, else by its words. */
export function recipientsOf(mail: OpenedMail, notice: Notice): ReportedRecipient[] {
  const statuses = isForMachines(mail.header) ? mail.statuses : [];
  const stated = statuses.length > 0 ? statuses : statusesInText(mail);
  const told = distinctStatuses(stated.flatMap(readStatusReport));
  if (told.length > 0) {
    const inWords = { refused: refusedIn(mail.header, notice), notice, alone: told.length === 1 };
    return told.flatMap((status) => ofStatus(status, inWords));
  }
  if (isOtherReport(mail.header) || (statuses.length === 0 && !isRefusal(mail, notice))) return [];
  const all = notice.lines.join('\n');
  const subject = valueOf(mail.header, 'subject') ?? '';
  const delayed = STILL_TRYING.test(`${subject}\n${all}`) && !GIVEN_UP.test(all);
  const action = delayed ? 'delayed' : 'failed';
  const refused = refusedIn(mail.header, notice);
  return refused.map(({ address, ...told }) => {
    const refusal = readRefusal({ action, status: null, diagnostic: '', ...told });
    const origins = originsOf(told.words, refused.length === 1 ? notice.original : []);
    return { address, ...forwardedFrom(address, origins), kind: delayed ? 'delayed' : 'bounce', ...refusal };
  });
}

/** Some servers write the machine-readable fields into the text for people, or break the boundaries of the parts. */
function statusesInText({ text, header, source }: OpenedMail): string[] {
  if (!isForMachines(header)) return [];
  for (const searched of [text, source]) {
    const at = searched.search(/^(?:final|original)-recipient:/im);
    const before = at < 0 ? -1 : searched.lastIndexOf('\n\n', at);
    if (at >= 0) return [searched.slice(Math.max(before, 0)).replace(/\n--[^\n]*\n[\s\S]*$/, '\n')];
  }
  return [];
}

/** What the text for people adds to the machine-readable fields. */
interface InWords {
  refused: readonly Refused[];
  notice: Notice;
  /** There is only one recipient. */
  alone: boolean;
}

function ofStatus(told: RecipientStatus, { refused, notice, alone }: InWords): ReportedRecipient[] {
  const address = told.address ?? (alone ? refused[0]?.address : undefined);
  if (address === undefined) return [];
  const { action, status, diagnostic, original } = told;
  if (action === 'delivered')
    return [{ address, kind: 'delivered', hard: false, status, reason: 'refused', diagnostic }];
  const own = refused.find((one) => sameAddress(one.address, address))?.words;
  const origins = [
    ...(original === undefined ? [] : [original]),
    ...originsOf(own ?? '', alone ? notice.original : []),
  ];
  const context = alone ? { context: contextOf(notice.lines) } : {};
  const refusal = readRefusal({ action, status, diagnostic, words: own ?? context.context ?? '', ...context });
  const kind = action === 'delayed' ? 'delayed' : 'bounce';
  return [{ address, ...forwardedFrom(address, origins), kind, ...refusal }];
}

function forwardedFrom(address: string, origins: readonly string[]): Pick<ReportedRecipient, 'forwardedFrom'> {
  const others = distinctAddresses(origins).filter((one) => !sameAddress(one, address));
  return others.length === 0 ? {} : { forwardedFrom: others };
}
