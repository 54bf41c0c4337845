import type { AttemptEntry, LostCopy, MessageAnswer, MessageState } from '@lettermill/events';
import { printable, tableLines } from '../output';
import { copiesLeftOf } from './message.copies';

const STEP_COLUMNS = ['AT', 'STEP'];
const ATTEMPT_COLUMNS = ['ATTEMPT', 'AT', 'NEXT HOP', 'OUTCOME', 'ANSWER'];
/** More only where a name is longer, as those about copies are. */
const NAMES_WIDTH = 13;
/** In these states only copies are tried again. */
const ONLY_COPIES_LEFT = new Set<MessageState>(['sent', 'bounced']);

/** A message with its steps and attempts; what the API answers besides is in the JSON. */
export function messageText(message: MessageAnswer): string {
  const known = factsOf(message).filter((fact): fact is [string, string] => typeof fact[1] === 'string');
  const width = Math.max(NAMES_WIDTH, ...known.map(([name]) => name.length + 2));
  const steps = message.timeline.map(({ at, type }) => [at, type]);
  const attempts = message.attempts.map((one) => [
    String(one.number),
    one.at,
    one.next_hop,
    one.outcome,
    answerText(one),
  ]);
  return [
    ...known.map(([name, value]) => `${name.padEnd(width)}${printable(value)}`),
    '',
    ...tableLines(STEP_COLUMNS, steps),
    '',
    ...(attempts.length > 0 ? tableLines(ATTEMPT_COLUMNS, attempts) : ['No attempts.']),
    '',
  ].join('\n');
}

/** Name and value of each fact; no value where it is not known. */
function factsOf(message: MessageAnswer): [name: string, value: string | null | undefined][] {
  const { message_id, state, reason, contact_key, campaign, request_id, external_message_id } = message;
  const { waiting, givenUp, suppressed } = copiesLeftOf(message);
  return [
    ['message', message_id],
    ['state', state],
    ['reason', reason && reasonText(reason)],
    [ONLY_COPIES_LEFT.has(state) ? 'next try of copies' : 'next try', message.next_attempt_at],
    ['contact', Object.entries(contact_key).flat().join(' ')],
    ['address', addressOf(message)],
    ['copies waiting', waiting.length > 0 ? waiting.join(', ') : null],
    ...givenUp.map((copy) => lostCopyFact('copy given up', copy)),
    ...suppressed.map((copy) => lostCopyFact('copy suppressed', copy)),
    ['campaign', `${campaign.slug}, version ${campaign.version}`],
    ['request', request_id],
    ['external id', external_message_id],
  ];
}

const reasonText = ({ code, detail }: Pick<LostCopy, 'code' | 'detail'>) => `${code}. ${detail}`;
const lostCopyFact = (name: string, copy: LostCopy): [string, string] => [name, `${copy.address}: ${reasonText(copy)}`];

/** The address that the mail goes to; undefined until the contact is known. */
function addressOf({ timeline }: MessageAnswer): string | undefined {
  return timeline.find(({ type }) => type === 'contact_resolved')?.address as string | undefined;
}

/** The reply that decided the attempt; else what broke it. */
function answerText({ reply, detail }: AttemptEntry): string {
  if (!reply) return detail ?? '';
  return [reply.code, reply.enhanced, reply.text].filter(Boolean).join(' ');
}
