import type { AttemptEnd } from '../deliveries/delivery';
import type { SmtpJob } from '../smtp/smtp.exchange';
import type { Offer } from '../smtp/smtp.offer';
import { unsendable } from '../smtp/smtp.transaction';

/** How an attempt ends of which the hop need not be asked: its own offer rules it out. */
export function ruledOut(offer: Offer, { envelope, content }: SmtpJob): AttemptEnd | undefined {
  if (envelope.needsUtf8 && !offer.smtpUtf8) {
    return unsendable(
      'smtputf8_unsupported',
      'An address has a local part that is not ASCII; the next hop does not offer SMTPUTF8.',
    );
  }
  if (offer.maxSize !== null && content.size > offer.maxSize) {
    const detail = `The mail has ${content.size} bytes; the next hop takes ${offer.maxSize}.`;
    return unsendable('message_too_large', detail);
  }
  return undefined;
}
