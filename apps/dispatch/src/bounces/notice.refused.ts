import { distinctAddresses } from '@lettermill/events';
import { addressesIn, addressMatcher, allAddresses } from './addresses';
import { valueOf, valuesOf, type Field } from './fields';
import type { Notice } from './notice';
import {
  ANNOUNCES_RECIPIENTS,
  BEFORE_ORIGIN,
  BEFORE_OTHER,
  BEFORE_RECIPIENT,
  REFUSED_RECIPIENT,
  SUPPORT_ADDRESS,
  STATED_RECIPIENT,
} from './notice.rules';
import { MAX_RECIPIENTS } from './report';

/**
 * Bounds the words kept per recipient: a refusal stands near the address it is about, and the words of many recipients may have to be
 * searched.
 */
const MAX_WORDS_LENGTH = 2000;
const MAX_CONTEXT_LENGTH = 30_000;
const MAX_ORIGINS = 20;

interface Mention {
  address: string;
  line: number;
  /** How certain it is that this address was refused. */
  rank: 0 | 1 | 2 | 3;
}

function mentionsIn(lines: readonly string[]): Mention[] {
  let lastText = '';
  return lines.flatMap((line, at) => {
    const announced = ANNOUNCES_RECIPIENTS.test(lastText);
    if (line.trim() !== '') lastText = line;
    return addressesIn(line).map(({ address, from, to }, nth): Mention => {
      if (announced && nth === 0) return { address, line: at, rank: 3 };
      return { address, line: at, rank: rankOf(line.slice(0, from), line.slice(to), lines[at - 1] ?? '') };
    });
  });
}

function rankOf(before: string, after: string, lineBefore: string): Mention['rank'] {
  const atLineStart =
    /^[\s>*•·|"'<([:-]{0,40}(?:\d{1,3}[.)]\s{0,4}|[45]\d\d[ -](?:[45]\.\d{1,3}\.\d{1,3} )?)?[<"']{0,2}$/.test(before);
  const alone = atLineStart && /^[\s>"')\]:;,.*|-]{0,40}$/.test(after);
  if (STATED_RECIPIENT.test(before)) return 3;
  if (alone) return BEFORE_OTHER.test(lineBefore.trim()) ? 1 : 3;
  if (BEFORE_OTHER.test(before)) return 0;
  if (atLineStart || BEFORE_RECIPIENT.test(before)) return atLineStart ? 3 : 2;
  return 1;
}

/** Addresses that are never the refused ones: those the report is sent to, and those of the mail's author. */
function correspondentsOf(header: readonly Field[], original: readonly Field[]): string[] {
  const names = ['to', 'from', 'return-path', 'delivered-to', 'x-original-to', 'envelope-to', 'reply-to'];
  const own = valuesOf(header, ...names);
  const written = valuesOf(original, 'from', 'return-path', 'sender', 'reply-to');
  return allAddresses([...own, ...written]);
}

function addresseesOf(original: readonly Field[]): string[] {
  const values = valuesOf(original, 'to', 'cc', 'x-envelope-to', 'envelope-to', 'x-rcpt-to', 'apparently-to');
  return distinctAddresses(allAddresses(values));
}

/** All words of a report that is about a single recipient. */
export const contextOf = (lines: readonly string[]): string => lines.join('\n').slice(0, MAX_CONTEXT_LENGTH);

/** Senders who write a copy to themselves are not the ones refused, unless they wrote to nobody else. */
function withoutCorrespondents(to: string[], isCorrespondent: (address: string) => boolean): string[] {
  const others = to.filter((address) => !isCorrespondent(address));
  return others.length > 0 ? others : to;
}

export interface RefusedRecipient {
  address: string;
  /** The lines from its mention to that of the next address. */
  words: string;
  /** All words of the report, if no other address was refused. */
  context?: string;
}

/** The addresses that the words of a report say were refused, with what they say about each. */
export function refusedRecipients(header: readonly Field[], { lines, original }: Notice): RefusedRecipient[] {
  const failed = allAddresses(valuesOf(header, 'x-failed-recipients'));
  const isCorrespondent = addressMatcher(correspondentsOf(header, original));
  const to = withoutCorrespondents(addresseesOf(original), isCorrespondent);
  const inSubject = allAddresses([valueOf(header, 'subject') ?? '']).filter((address) => !isCorrespondent(address));
  const isTo = addressMatcher(to);
  const isForHelp = ({ address, line }: Mention) =>
    SUPPORT_ADDRESS.test(address) && !REFUSED_RECIPIENT.test(lines[line]!);
  const mentions = mentionsIn(lines).filter(
    (mention) => isTo(mention.address) || !(isCorrespondent(mention.address) || isForHelp(mention)),
  );
  const certain = mentions.filter(({ rank, address }) => rank === 3 && isTo(address)).map(({ address }) => address);
  const isMentioned = addressMatcher(mentions.map(({ address }) => address));
  const agreed = failed.some(isMentioned);
  const stated = failed.length > 0 && (agreed || certain.length === 0) ? failed : undefined;
  const chosen = stated ?? chooseRefused(mentions, isTo, to) ?? inSubject.slice(0, 1);
  const addresses = distinctAddresses(chosen).slice(0, MAX_RECIPIENTS);
  const context = addresses.length === 1 ? { context: contextOf(lines) } : {};
  const words = wordsAbout(addresses, lines);
  return addresses.map((address) => ({ address, words: words.get(address.toLowerCase())!, ...context }));
}

function chooseRefused(
  mentions: readonly Mention[],
  isTo: (address: string) => boolean,
  to: readonly string[],
): string[] | undefined {
  const best = mentions.reduce((most, { rank }) => Math.max(most, rank), 0);
  const ranked = (least: number) => mentions.filter(({ rank }) => rank >= least);
  if (best === 3) return ranked(3).map(({ address }) => address);
  const named = ranked(1).find(({ address }) => isTo(address));
  if (named) return [named.address];
  if (best === 2) return [ranked(2)[0]!.address];
  if (to.length === 1) return [...to];
  const first = ranked(1)[0]?.address ?? to[0];
  return first === undefined ? undefined : [first];
}

/** `550 host.example (smtp)... Host unknown`: in a transcript, this is about the host and the addresses at it. */
const HOST_REFUSAL = /^\s{0,4}[45]\d\d ([\w.-]{1,255}) \([a-z]{1,20}\)\.\.\. /;

function isAboutOtherHost(line: string, addresses: readonly string[]): boolean {
  const host = HOST_REFUSAL.exec(line)?.[1]?.toLowerCase();
  return host !== undefined && !addresses.some((address) => address.endsWith(`@${host}`));
}

/** Fields in which servers on the way note the mailbox that a mail was forwarded from. */
const FORWARDING_FIELDS = ['delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to', 'x-forwarded-for'];

/** The addresses that a refused one was forwarded from: by the words about it and, if it is the only one, by the returned mail. */
export function originsOf(words: string, original: readonly Field[]): string[] {
  const stated = addressesIn(words).filter(({ from }) => BEFORE_ORIGIN.test(words.slice(Math.max(from - 60, 0), from)));
  const noted = allAddresses(valuesOf(original, ...FORWARDING_FIELDS));
  return distinctAddresses([...stated.map(({ address }) => address), ...noted]).slice(0, MAX_ORIGINS);
}

/** The lines about each address: from its mention to that of the next. */
function wordsAbout(addresses: readonly string[], lines: readonly string[]): Map<string, string> {
  const about = new Map<string, string[]>(addresses.map((address) => [address.toLowerCase(), []]));
  let current: string[] = [];
  for (const line of lines) {
    const named = allAddresses([line]).map((address) => address.toLowerCase());
    const here = [...new Set(named)].filter((address) => about.has(address));
    if (here.length > 0) current = here;
    else if (isAboutOtherHost(line, current)) current = [];
    for (const address of current) about.get(address)!.push(line);
  }
  return new Map([...about].map(([address, told]) => [address, told.join('\n').slice(0, MAX_WORDS_LENGTH)]));
}
