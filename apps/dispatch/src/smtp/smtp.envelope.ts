import { domainToASCII } from 'node:url';
import type { Envelope } from '../lifecycle/delivery';

export interface WireEnvelope extends Envelope {
  /** A local part is not ASCII: the hop must offer SMTPUTF8 (RFC 6531). */
  needsUtf8: boolean;
}

export const NOT_ASCII = /[^\u0000-\u007f]/;
const needsUtf8 = (address: string): boolean => NOT_ASCII.test(address);

/** The address as written on the wire: its domain in A-labels, its local part unchanged. */
export function wireAddress(address: string): string {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  const ascii = NOT_ASCII.test(domain) ? domainToASCII(domain) : domain;
  // If the domain cannot be written in A-labels, it stays as it is, and the hop decides.
  return address.slice(0, at + 1) + (ascii || domain);
}

/** Addresses for the wire; the main recipient, if any, is always among them, and nobody is there twice. */
export function wireEnvelope({ from, to, main }: Envelope): WireEnvelope {
  const wireMain = main === null ? null : wireAddress(main);
  const wireTo = [...new Set([...(wireMain === null ? [] : [wireMain]), ...to.map(wireAddress)])];
  const wireFrom = wireAddress(from);
  return {
    from: wireFrom,
    to: wireTo,
    main: wireMain,
    needsUtf8: [wireFrom, ...wireTo].some(needsUtf8),
  };
}

/** The envelope without the copies that need SMTPUTF8; undefined if the sender or the main recipient needs it, or nobody is left. */
export function withoutUtf8({ from, to, main }: WireEnvelope): WireEnvelope | undefined {
  const left = to.filter((one) => !needsUtf8(one));
  if (needsUtf8(from) || left.length === 0 || (main !== null && !left.includes(main))) return undefined;
  return { from, to: left, main, needsUtf8: false };
}
