/** What a server offers in its EHLO answer (RFC 5321 section 4.1.1.1). */
export interface Offer {
  /** RFC 2920: commands may go out together. */
  pipelining: boolean;
  /** The next mail may ride behind the final dot of the one before (RFC 2920 section 3.1). */
  rides: boolean;
  /** RFC 6152. */
  eightBitMime: boolean;
  /** RFC 6531. */
  smtpUtf8: boolean;
  /** RFC 1870: the size of a mail may be told ahead. */
  size: boolean;
  /** Bytes of a whole mail; null where none is told. */
  maxSize: number | null;
  /** RFC 3207. */
  startTls: boolean;
  /** Mechanisms of AUTH, in upper case (RFC 4954). */
  auth: string[];
}

/**
 * Servers known to read commands behind a final dot as RFC 2920 has it, by what they call themselves behind the name of their host. Others
 * offer PIPELINING too, and Haraka 3.3 refuses such commands, while Dovecot 2.3 breaks down over them with a mail in hand.
 */
const READS_BEHIND_DOT = /^220[ -]\S+[ \t].*\b(?:Postfix|Exim|Sendmail)\b/i;

/** Reads an EHLO or HELO answer, lines parted by LF; `greeting` is the answer to the connection. */
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
