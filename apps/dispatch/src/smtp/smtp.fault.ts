import type { ReasonCode } from '@lettermill/problems';
import type { Peer } from '../lifecycle/delivery';
import { parseReply, type Reply } from '../replies/reply';

/** No conversation with the next hop took place. No message is to blame: it is tried again. */
export class HopFault extends Error {
  /** Set if a connection was made. */
  peer: Peer | undefined;

  constructor(
    readonly reason: Extract<ReasonCode, 'next_hop_unavailable' | 'authentication_failed' | 'tls_failed'>,
    message: string,
    readonly reply: Reply | null = null,
  ) {
    super(message);
  }
}

const NOT_TLS_CODE = 'ERR_SSL_WRONG_VERSION_NUMBER';
const TLS_ERROR_CODE = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|UNABLE_TO|SELF_SIGNED|HOSTNAME_MISMATCH|EPROTO$)/;

/** A certificate can have any number of names, in any characters. */
const MAX_NAMES_LENGTH = 200;

/** What ended a connection: a system error code, with what it does not say by itself. */
export function causeOfError(error: NodeJS.ErrnoException & { cert?: { subjectaltname?: string } }): string {
  const { code, message, cert } = error;
  if (code !== 'ERR_TLS_CERT_ALTNAME_INVALID' || !cert?.subjectaltname) return code ?? message;
  const names = cert.subjectaltname.replaceAll('DNS:', '').replace(/[^ -~]/g, '?');
  return `${code}: its certificate is for ${names.slice(0, MAX_NAMES_LENGTH)}`;
}

/** The fault for a connection that broke while it was being opened; `upgrading`: TLS was being negotiated. */
export function brokenFault(cause: string, upgrading: boolean): HopFault {
  if (cause === NOT_TLS_CODE && !upgrading)
    return tlsFault(`${cause}: for such a server, SMTP_URL must begin with smtp://`);
  return upgrading || TLS_ERROR_CODE.test(cause) ? tlsFault(cause) : unavailableFault(cause);
}

export function tlsFault(cause: string, answer?: string): HopFault {
  return new HopFault('tls_failed', `No TLS connection that satisfies SMTP_URL (${cause}).`, replyOf(answer));
}

export function unavailableFault(cause: string, answer?: string): HopFault {
  return new HopFault('next_hop_unavailable', `The next hop cannot be reached (${cause}).`, replyOf(answer));
}

/** A 4xx answer says nothing about user and password: the service that checks them is unavailable (RFC 4954, 454 4.7.0). */
export function credentialsFault(answer: string): HopFault {
  if (answer.startsWith('4')) return unavailableFault('it accepts no logins for now', answer);
  return new HopFault('authentication_failed', 'The next hop refused our credentials.', replyOf(answer));
}

/** How RFC 4422 writes the name of a mechanism. Nothing else that a hop says here gets into a log. */
const MECHANISM = /^[A-Z0-9_-]{1,20}$/;

/** The hop offers no login by a password. */
export function loginFault(offered: readonly string[]): HopFault {
  const names = offered.filter((name) => MECHANISM.test(name)).slice(0, 10);
  const cause = names.length
    ? `it offers only ${names.join(', ')}, and Lettermill knows PLAIN, LOGIN and CRAM-MD5`
    : 'it offers no login';
  return new HopFault('authentication_failed', `The next hop takes no password (${cause}).`);
}

function replyOf(answer: string | undefined): Reply | null {
  return answer === undefined ? null : (parseReply(answer) ?? null);
}
