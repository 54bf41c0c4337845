/** What a server offers in its EHLO answer (RFC 5321 section 4.1.1.1). */
export interface Offer {
  /** RFC 2920: commands may go out together. */
  pipelining: boolean;
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

/** Reads an EHLO or HELO answer, lines parted by LF. */
export function readOffer(answer: string): Offer {
  const lines = answer
    .split(/\r?\n/)
    .slice(1)
    .map((line) => line.slice(4).trim().toUpperCase());
  const keywords = new Set(lines.map((line) => line.split(/[ =]/, 1)[0]));
  const size = lines.map((line) => /^SIZE +(\d+)$/.exec(line)?.[1]).find((found) => found !== undefined);
  return {
    pipelining: keywords.has('PIPELINING'),
    eightBitMime: keywords.has('8BITMIME'),
    smtpUtf8: keywords.has('SMTPUTF8'),
    size: keywords.has('SIZE'),
    maxSize: Number(size ?? 0) || null,
    startTls: keywords.has('STARTTLS'),
    auth: lines.flatMap((line) => (/^AUTH[ =]/.test(line) ? line.slice(5).split(/[ =]+/) : [])).filter(Boolean),
  };
}
