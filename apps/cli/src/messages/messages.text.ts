import type { AttemptEntry, MessageAnswer } from '@lettermill/events';
import { printable, tableLines } from '../output';

const STEP_COLUMNS = ['AT', 'STEP'];
const ATTEMPT_COLUMNS = ['ATTEMPT', 'AT', 'NEXT HOP', 'OUTCOME', 'ANSWER'];

/** A message with its steps and attempts; what the API answers besides is in the JSON. */
export function messageText(message: MessageAnswer): string {
  const { message_id, state, reason, contact_key, campaign, request_id, external_message_id, next_attempt_at } =
    message;
  const facts: Record<string, string | null | undefined> = {
    message: message_id,
    state,
    reason: reason && `${reason.code}. ${reason.detail}`,
    'next try': next_attempt_at,
    contact: Object.entries(contact_key).flat().join(' '),
    campaign: `${campaign.slug}, version ${campaign.version}`,
    request: request_id,
    'external id': external_message_id,
  };
  const known = Object.entries(facts).filter((fact): fact is [string, string] => typeof fact[1] === 'string');
  const steps = message.timeline.map(({ at, type }) => [at, type]);
  const attempts = message.attempts.map((one) => [
    String(one.number),
    one.at,
    one.next_hop,
    one.outcome,
    answerText(one),
  ]);
  return [
    ...known.map(([name, value]) => `${name.padEnd(13)}${printable(value)}`),
    '',
    ...tableLines(STEP_COLUMNS, steps),
    '',
    ...(attempts.length > 0 ? tableLines(ATTEMPT_COLUMNS, attempts) : ['No attempts.']),
    '',
  ].join('\n');
}

/** The reply that decided the attempt; else what broke it. */
function answerText({ reply, detail }: AttemptEntry): string {
  if (!reply) return detail ?? '';
  return [reply.code, reply.enhanced, reply.text].filter(Boolean).join(' ');
}
