import { matchedEmail } from '@lettermill/events';
import { readReturnPath, type MessageName, type ReturnPathTerms } from '@lettermill/runtime';
import type { Delivery } from '../lifecycle/delivery';
import { complaintOf, type Report, type ReportedRecipient } from './report';

/** The message that a report is about. */
export type Match = { name: MessageName } | { forged: true } | { unknown: true };

const OUR_MESSAGE_ID = /^<([A-Za-z0-9]{18})@[^<>@\s]{1,255}>$/;

/**
 * Finds the message by the signed return path first (the envelope's, else that in the mail), then by the Message-ID of the returned mail. A
 * return path of ours without our signature is forged, whatever else the mail says. Another account's message is unknown.
 */
export function matchOf(terms: ReturnPathTerms, accountId: string, report: Report, envelopeTo: string | null): Match {
  const addresses = envelopeTo === null ? report.returnPaths : [envelopeTo, ...report.returnPaths];
  const returnPaths = addresses.map((address) => readReturnPath(terms, address)).filter((found) => found !== null);
  const signed = returnPaths.find((found) => found !== 'forged');
  if (signed) return signed.accountId === accountId ? { name: signed } : { unknown: true };
  if (returnPaths.length > 0) return { forged: true };
  const messageId = OUR_MESSAGE_ID.exec(report.originalMessageId ?? '')?.[1];
  return messageId === undefined ? { unknown: true } : { name: { accountId, messageId } };
}

/** Whether a mail was sent to an address that we signed: it answers a mail of ours. */
export function cameBack(terms: ReturnPathTerms, addresses: readonly string[], envelopeTo: string | null): boolean {
  const found = [...addresses, envelopeTo ?? ''].map((address) => readReturnPath(terms, address));
  return found.some((name) => name !== null && name !== 'forged');
}

/** What matters of a delivery for a report about it. */
export interface RecalledDelivery extends Delivery {
  /** Addresses of the envelope, the main recipient first. */
  recipients: string[];
  traceparent?: string;
}

/** What a report says about one of the addresses that we wrote to. */
export interface Finding {
  recipient: ReportedRecipient;
  /** The address as we wrote it. */
  address: string;
  /** It is the main recipient, not a copy. */
  own: boolean;
}

/**
 * Reports may name the address that ours was forwarded to: ours is recognised by what they say about the origin, or because there was only
 * one recipient.
 */
export function findingsOf(
  { recipients: [own, ...copies] }: RecalledDelivery,
  { recipients, unnamed, kind }: Report,
): Finding[] {
  if (own === undefined) return [];
  // Of several spellings of one address, the first counts.
  const known = new Map(
    [...copies]
      .reverse()
      .concat(own)
      .map((address) => [matchedEmail(address), address]),
  );
  const findings = recipients.flatMap((recipient): Finding[] => {
    const named = [recipient.address, ...(recipient.forwardedFrom ?? [])];
    const found = named.flatMap((name) => known.get(matchedEmail(name)) ?? [])[0];
    const address = found ?? (copies.length === 0 ? own : undefined);
    return address === undefined ? [] : [{ recipient, address, own: address === own }];
  });
  if (findings.length > 0 || copies.length > 0) return distinct(findings);
  // Some feedback loops and some bounces leave the address out.
  const meant = kind === 'complaint' ? complaintOf(own, kind) : unnamed && { ...unnamed, address: own };
  return meant ? [{ recipient: meant, address: own, own: true }] : [];
}

function distinct(findings: Finding[]): Finding[] {
  return [...new Map(findings.reverse().map((finding) => [finding.address, finding])).values()].reverse();
}
