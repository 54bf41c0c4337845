import { emailAddressOf, type EmailAddress, type EmailMessageDetails, type EmailValue } from '@lettermill/contract';
import type { Body, Details } from './parts';

/** Fields of the contract that events have no place for: a message that had one would be accepted, and end as a dead letter. */
type FieldsWithoutPlace = Exclude<keyof EmailMessageDetails, keyof Details>;

/** Each address once: those that are given in two forms differ only in the call, and a campaign is read and sent back as it is here. */
function copiesOf(addresses: EmailValue[]): EmailAddress[] {
  const byContent = new Map<string, EmailAddress>();
  for (const one of addresses.map(emailAddressOf)) byContent.set(JSON.stringify([one.email, one.name]), one);
  return [...byContent.values()];
}

/** EmailMessageDetails of the contract, as events carry them; `store` resolves with the body, or with a reference to it. */
export async function detailsOf(
  { reply_to, cc, bcc, text, html, ...same }: EmailMessageDetails,
  store: (body: string) => Promise<Body>,
): Promise<Details> {
  const details: Details & Record<FieldsWithoutPlace, never> = { ...same };
  if (reply_to !== undefined) details.reply_to = emailAddressOf(reply_to);
  if (cc) details.cc = copiesOf(cc);
  if (bcc) details.bcc = copiesOf(bcc);
  if (text !== undefined) details.text = await store(text);
  if (html !== undefined) details.html = await store(html);
  return details;
}

/**
 * The value of a field in the strongest level that has it, not merged with others (docs/send.md 10); undefined if none
 * has it. The weakest level comes first: campaign, request, recipient.
 */
export function strongest<Level extends object, Field extends keyof Level>(
  levels: (Level | undefined)[],
  field: Field,
): Level[Field] | undefined {
  return levels.findLast((level) => level?.[field] !== undefined)?.[field];
}
