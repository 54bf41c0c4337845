/** What a server offers in its EHLO answer (RFC 5321 section 4.1.1.1). */
export interface Offer {
  /** RFC 2920: commands may be sent together. */
  pipelining: boolean;
  /** The next mail may ride behind the final dot of the previous one (RFC 2920 section 3.1). */
  rides: boolean;
  /** RFC 6152. */
  eightBitMime: boolean;
  /** RFC 6531. */
  smtpUtf8: boolean;
  /** RFC 1870: the size of a mail may be declared with MAIL. */
  size: boolean;
  /** Most bytes of a whole mail; null if the server states no limit. */
  maxSize: number | null;
  /** RFC 3207. */
  startTls: boolean;
  /** Mechanisms of AUTH, in upper case (RFC 4954). */
  auth: string[];
}

/**
 * Servers known to read commands behind a final dot as RFC 2920 says, by the name they give after their host name. Others offer PIPELINING,
 * too, but Haraka 3.3 refuses such commands, and Dovecot 2.3 crashes on them while it has a mail.
 */
const READS_BEHIND_DOT = /^220[ -]\S+[ \t].*\b(?:Postfix|Exim|Sendmail)\b/i;

/** Reads an EHLO or HELO answer, its lines separated by LF; `greeting` is the server's first answer on the connection. */
export function readOffer(answer: string, greeting: string): Offer {
  const lines = answer
    .split(/\r?\n/)
    .slice(1)
    .map((line) => line.slice(4).trim().toUpperCase());
  const keywords = new Set(lines.map((line) => line.split(/[ =]/, 1)[0]));
  const size = lines.map((line) => /^SIZE +(\d+)$/.exec(line)?.[1]).find((found) => found !== undefined);
  const pipelining = keywords.has('PIPELINING');
  return {
    pipelining,
    rides: pipelining && READS_BEHIND_DOT.test(greeting),
    eightBitMime: keywords.has('8BITMIME'),
    smtpUtf8: keywords.has('SMTPUTF8'),
    size: keywords.has('SIZE'),
    maxSize: Number(size ?? 0) || null,
    startTls: keywords.has('STARTTLS'),
    auth: lines.flatMap((line) => (/^AUTH[ =]/.test(line) ? line.slice(5).split(/[ =]+/) : [])).filter(Boolean),
  };
}
