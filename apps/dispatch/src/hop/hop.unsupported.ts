import { sameEndForAll } from '../lifecycle/delivery.copies';
import type { AttemptEnd } from '../lifecycle/delivery';
import { withoutUtf8 } from '../smtp/smtp.envelope';
import type { SmtpJob } from '../smtp/smtp.exchange';
import type { Offer } from '../smtp/smtp.offer';
import { unsendableEnd } from '../smtp/smtp.transaction';

const SMTPUTF8_UNSUPPORTED = unsendableEnd(
  'smtputf8_unsupported',
  'An address of the envelope or the header has a local part that is not ASCII; the next hop does not offer SMTPUTF8.',
);

/** The job as it can be sent to this hop: if only bcc recipients need what the hop does not offer, it goes without them. */
export function sendablePart<T extends SmtpJob>(offer: Offer, job: T): T {
  if (offer.smtpUtf8 || job.content.eightBit || !job.envelope.needsUtf8) return job;
  const envelope = withoutUtf8(job.envelope);
  return envelope ? { ...job, envelope } : job;
}

/** Adds the end of those copies of the `whole` job that were left out of what was `sent`. */
export function withOmittedCopies(end: AttemptEnd, whole: SmtpJob, sent: SmtpJob): AttemptEnd {
  if (sent === whole) return end;
  const omitted = whole.envelope.to.filter((address) => !sent.envelope.to.includes(address));
  return { ...end, copies: [...(end.copies ?? []), ...sameEndForAll(omitted, SMTPUTF8_UNSUPPORTED)] };
}

/** How an attempt ends that the hop's own offer rules out, without asking it; undefined if nothing does. */
export function unsupportedEnd(offer: Offer, { envelope, content }: SmtpJob): AttemptEnd | undefined {
  // Bodies are encoded, so bytes over 127 are in the header (RFC 6532), which needs SMTPUTF8 as the envelope does (RFC 6531 section 3.2).
  if ((envelope.needsUtf8 || content.eightBit) && !offer.smtpUtf8) return SMTPUTF8_UNSUPPORTED;
  if (offer.maxSize !== null && content.size > offer.maxSize) {
    const detail = `The mail has ${content.size} bytes; the next hop accepts at most ${offer.maxSize}.`;
    return unsendableEnd('message_too_large', detail);
  }
  return undefined;
}
