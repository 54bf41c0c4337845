import type { ReasonCode } from '@lettermill/problems';
import type { NodemailerError } from 'nodemailer/lib/errors';
import { parseReply, type Reply } from '../replies/reply';

/** No conversation with the next hop came about. No message is to blame: it is tried again. */
export class HopFault extends Error {
  constructor(
    readonly reason: Extract<ReasonCode, 'next_hop_unavailable' | 'authentication_failed' | 'tls_failed'>,
    message: string,
    readonly reply: Reply | null = null,
  ) {
    super(message);
  }
}

const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|UNABLE_TO|SELF_SIGNED|HOSTNAME_MISMATCH|EPROTO$)/;

/** What the library's error while opening a connection means. `upgrading`: TLS was being negotiated. */
export function hopFault(error: NodemailerError, upgrading: boolean): HopFault {
  const reply = error.response ? (parseReply(error.response) ?? null) : null;
  const cause = (error as { originalCode?: string }).originalCode ?? error.code ?? 'unknown';
  if (error.code === 'EAUTH')
    return new HopFault('authentication_failed', 'The next hop refused our credentials.', reply);
  if (error.code === 'ETLS' || upgrading || TLS_CODE.test(cause)) {
    return new HopFault('tls_failed', `No TLS connection that satisfies SMTP_URL (${cause}).`, reply);
  }
  return new HopFault('next_hop_unavailable', `The next hop can not be reached (${cause}).`, reply);
}
