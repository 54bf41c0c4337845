import { REASONS } from '@lettermill/problems';
import type { NextHop } from '@lettermill/config';
import type { Clock } from '@lettermill/runtime';
import { lineOf } from '../replies/reply';
import { SmtpConnection } from '../smtp/smtp.connection';
import { HopFault } from '../smtp/smtp.fault';
import { SMTP_DEFAULTS, type SmtpPoolOptions } from '../smtp/smtp.options';

/** Shorter than for a sender, because a person waits for the result. */
const GREETING_TIMEOUT_MS = 60_000;

export interface HopCheck {
  /** Whether a mail could be handed over now. */
  takes: boolean;
  /** Some lines for a person to read. */
  text: string;
}

/** Greets the next hop as a sender does, TLS and login included, and says goodbye without mentioning a mail. */
export async function checkHop(hop: NextHop, now: Clock, over: Partial<SmtpPoolOptions> = {}): Promise<HopCheck> {
  const timeouts = { ...SMTP_DEFAULTS.timeouts, greeting: GREETING_TIMEOUT_MS };
  try {
    const connection = await SmtpConnection.open(hop, { ...SMTP_DEFAULTS, timeouts, ...over }, now);
    connection.quit();
    return { takes: true, text: readyText(hop, connection) };
  } catch (fault) {
    if (!(fault instanceof HopFault)) throw fault;
    return { takes: false, text: refusedText(hop, fault) };
  }
}

function readyText({ host, port, auth }: NextHop, { offer, peer }: SmtpConnection): string {
  const tls = peer?.tls;
  const size = offer.maxSize === null ? 'mails of any size' : `mails of ${offer.maxSize} bytes at most`;
  const { pipelining, eightBitMime, smtpUtf8 } = offer;
  const takes = [size, pipelining && 'PIPELINING', eightBitMime && '8BITMIME', smtpUtf8 && 'SMTPUTF8'].filter(Boolean);
  const lines = [
    `${host}:${port} (${peer?.remoteAddress ?? 'gone'}) is ready to take mail from us.`,
    tls
      ? `TLS      ${tls.protocol}, ${tls.verified ? 'verified' : 'its certificate is not verified'}`
      : 'TLS      none',
    auth ? `login    ${auth.user}` : 'login    none',
    `takes    ${takes.join(', ')}`,
    'No mail was sent.',
  ];
  return `${lines.join('\n')}\n`;
}

function refusedText({ host, port }: NextHop, { message, reason, reply }: HopFault): string {
  const answer = reply && `It said: ${lineOf(reply)}`;
  return `${[`${host}:${port} takes no mail from us. ${message}`, answer, REASONS[reason].fix].filter(Boolean).join('\n')}\n`;
}
