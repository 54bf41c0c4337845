import { emailAddressOf, type EmailMessageDetails } from '@lettermill/contract';
import type { Body, Details } from './parts';

/** Fields of the contract that events have no place for: a message that had one would be accepted, and end as a dead letter. */
type FieldsWithoutPlace = Exclude<keyof EmailMessageDetails, keyof Details>;

/** EmailMessageDetails of the contract, as events carry them; `store` resolves with the body, or with a reference to it. */
export async function detailsOf(
  { reply_to, cc, bcc, text, html, ...same }: EmailMessageDetails,
  store: (body: string) => Promise<Body>,
): Promise<Details> {
  const details: Details & Record<FieldsWithoutPlace, never> = { ...same };
  if (reply_to !== undefined) details.reply_to = emailAddressOf(reply_to);
  if (cc) details.cc = cc.map(emailAddressOf);
  if (bcc) details.bcc = bcc.map(emailAddressOf);
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
