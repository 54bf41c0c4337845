import type { AttemptEnd } from '../deliveries/delivery';
import type { SmtpJob } from '../smtp/smtp.exchange';
import type { Offer } from '../smtp/smtp.offer';
import { unsendable } from '../smtp/smtp.transaction';

/** How an attempt ends of which the hop need not be asked: its own offer rules it out. */
export function ruledOut(offer: Offer, { envelope, content }: SmtpJob): AttemptEnd | undefined {
  // Bodies are encoded: bytes over 127 are in the header (RFC 6532), which needs it as the envelope does (RFC 6531 section 3.2).
  if ((envelope.needsUtf8 || content.eightBit) && !offer.smtpUtf8) {
    return unsendable(
      'smtputf8_unsupported',
      'An address of the envelope or the header has a local part that is not ASCII; the next hop does not offer SMTPUTF8.',
    );
  }
  if (offer.maxSize !== null && content.size > offer.maxSize) {
    const detail = `The mail has ${content.size} bytes; the next hop takes ${offer.maxSize}.`;
    return unsendable('message_too_large', detail);
  }
  return undefined;
}
