import { addressesIn, among, distinctAddresses } from './addresses';
import { valueOf, valuesOf, type Field } from './fields';
import type { Notice } from './notice';
import {
  ANNOUNCES_RECIPIENTS,
  BEFORE_ORIGIN,
  BEFORE_OTHER,
  BEFORE_RECIPIENT,
  HELPERS,
  STATED_RECIPIENT,
} from './notice.rules';

const MAX_RECIPIENTS = 100;
/**
 * Bounds the words kept per recipient: a refusal stands near the address it is about, and the words of many recipients may have to be
 * searched.
 */
const MAX_WORDS = 2000;
const MAX_CONTEXT = 30_000;
const MAX_ORIGINS = 20;

interface Mention {
  address: string;
  line: number;
  /** How certain it is that this address was refused. */
  rank: 0 | 1 | 2 | 3;
}

function mentionsIn(lines: readonly string[]): Mention[] {
  let said = '';
  return lines.flatMap((line, at) => {
    const announced = ANNOUNCES_RECIPIENTS.test(said);
    if (line.trim() !== '') said = line;
    return addressesIn(line).map(({ address, from, to }, nth): Mention => {
      if (announced && nth === 0) return { address, line: at, rank: 3 };
      return { address, line: at, rank: rankOf(line.slice(0, from), line.slice(to), lines[at - 1] ?? '') };
    });
  });
}

function rankOf(before: string, after: string, lineBefore: string): Mention['rank'] {
  const stands =
    /^[\s>*•·|"'<([:-]{0,40}(?:\d{1,3}[.)]\s{0,4}|[45]\d\d[ -](?:[45]\.\d{1,3}\.\d{1,3} )?)?[<"']{0,2}$/.test(before);
  const alone = stands && /^[\s>"')\]:;,.*|-]{0,40}$/.test(after);
  if (STATED_RECIPIENT.test(before)) return 3;
  if (alone) return BEFORE_OTHER.test(lineBefore.trim()) ? 1 : 3;
  if (BEFORE_OTHER.test(before)) return 0;
  if (stands || BEFORE_RECIPIENT.test(before)) return stands ? 3 : 2;
  return 1;
}

/** Addresses that are never the refused ones: those the report is sent to, and those of the mail's author. */
function strangersOf(header: readonly Field[], original: readonly Field[]): string[] {
  const names = ['to', 'from', 'return-path', 'delivered-to', 'x-original-to', 'envelope-to', 'reply-to'];
  const own = valuesOf(header, ...names);
  const written = valuesOf(original, 'from', 'return-path', 'sender', 'reply-to');
  return [...own, ...written].flatMap((value) => addressesIn(value).map(({ address }) => address));
}

function writtenTo(original: readonly Field[]): string[] {
  const values = valuesOf(original, 'to', 'cc', 'x-envelope-to', 'envelope-to', 'x-rcpt-to', 'apparently-to');
  return distinctAddresses(values.flatMap((value) => addressesIn(value).map(({ address }) => address)));
}

/** All words of a report that is about a single recipient. */
export const contextOf = (lines: readonly string[]): string => lines.join('\n').slice(0, MAX_CONTEXT);

/** Senders who write a copy to themselves are not the ones refused, unless they wrote to nobody else. */
function othersIn(to: string[], isStranger: (address: string) => boolean): string[] {
  const others = to.filter((address) => !isStranger(address));
  return others.length > 0 ? others : to;
}

export interface Refused {
  address: string;
  /** The lines from its mention to that of the next address. */
  words: string;
  /** All words of the report, if no other address was refused. */
  context?: string;
}

/** The addresses that the words of a report say were refused, with what they say about each. */
export function refusedIn(header: readonly Field[], { lines, original }: Notice): Refused[] {
  const failed = valuesOf(header, 'x-failed-recipients').flatMap((value) =>
    addressesIn(value).map((found) => found.address),
  );
  const isStranger = among(strangersOf(header, original));
  const to = othersIn(writtenTo(original), isStranger);
  const inSubject = addressesIn(valueOf(header, 'subject') ?? '')
    .map(({ address }) => address)
    .filter((address) => !isStranger(address));
  const isTo = among(to);
  const mentions = mentionsIn(lines).filter(
    ({ address }) => isTo(address) || !(isStranger(address) || HELPERS.test(address)),
  );
  const surely = mentions.filter(({ rank, address }) => rank === 3 && isTo(address)).map(({ address }) => address);
  const isMentioned = among(mentions.map(({ address }) => address));
  const agreed = failed.some(isMentioned);
  const stated = failed.length > 0 && (agreed || surely.length === 0) ? failed : undefined;
  const chosen = stated ?? chosenOf(mentions, isTo, to) ?? inSubject.slice(0, 1);
  const addresses = distinctAddresses(chosen).slice(0, MAX_RECIPIENTS);
  const context = addresses.length === 1 ? { context: contextOf(lines) } : {};
  const words = wordsAbout(addresses, lines);
  return addresses.map((address) => ({ address, words: words.get(address.toLowerCase())!, ...context }));
}

function chosenOf(
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
const OF_HOST = /^\s{0,4}[45]\d\d ([\w.-]{1,255}) \([a-z]{1,20}\)\.\.\. /;

function isOfOther(line: string, addresses: readonly string[]): boolean {
  const host = OF_HOST.exec(line)?.[1]?.toLowerCase();
  return host !== undefined && !addresses.some((address) => address.endsWith(`@${host}`));
}

/** Fields in which servers on the way note the mailbox that a mail was forwarded from. */
const ON_THE_WAY = ['delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to', 'x-forwarded-for'];

/** The addresses that a refused one was forwarded from: by the words about it and, if it is the only one, by the returned mail. */
export function originsOf(words: string, original: readonly Field[]): string[] {
  const said = addressesIn(words).filter(({ from }) => BEFORE_ORIGIN.test(words.slice(Math.max(from - 60, 0), from)));
  const noted = valuesOf(original, ...ON_THE_WAY).flatMap(addressesIn);
  return distinctAddresses([...said, ...noted].map(({ address }) => address)).slice(0, MAX_ORIGINS);
}

/** The lines about each address: from its mention to that of the next. */
function wordsAbout(addresses: readonly string[], lines: readonly string[]): Map<string, string> {
  const about = new Map<string, string[]>(addresses.map((address) => [address.toLowerCase(), []]));
  let taking: string[] = [];
  for (const line of lines) {
    const named = addressesIn(line).map(({ address }) => address.toLowerCase());
    const here = [...new Set(named)].filter((address) => about.has(address));
    if (here.length > 0) taking = here;
    else if (isOfOther(line, taking)) taking = [];
    for (const address of taking) about.get(address)!.push(line);
  }
  return new Map([...about].map(([address, told]) => [address, told.join('\n').slice(0, MAX_WORDS)]));
}
