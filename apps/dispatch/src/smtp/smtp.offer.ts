/** What a server offers in its EHLO answer (RFC 5321 section 4.1.1.1). */
export interface Offer {
  /** RFC 6531. */
  smtpUtf8: boolean;
  /** Bytes of a whole mail; null where none is told (RFC 1870). */
  maxSize: number | null;
}

/** Reads an EHLO or HELO answer, lines parted by LF. */
export function readOffer(answer: string): Offer {
  const keywords = answer
    .split(/\r?\n/)
    .slice(1)
    .map((line) =>
      line
        .replace(/^\d{3}[ -]/, '')
        .trim()
        .toUpperCase(),
    );
  const size = keywords.map((keyword) => /^SIZE\s+(\d+)$/.exec(keyword)?.[1]).find((found) => found !== undefined);
  return { smtpUtf8: keywords.includes('SMTPUTF8'), maxSize: Number(size ?? 0) || null };
}
