import dns, { type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';

/**
 * The addresses of the hop's name, in the order in which they are tried. The next address follows by itself if one takes no TCP connection;
 * one that does, but lets no mail in, goes behind the others (RFC 5321 section 5.1), or nothing would ever reach them.
 */
export class HopAddresses {
  private passedOver = 0;

  /** The address that was tried first is of no use for now. */
  passOver(): void {
    this.passedOver += 1;
  }

  readonly lookup: LookupFunction = (name, options, done) => {
    dns.lookup(name, { ...options, all: true }, (error, found) => {
      const [first, ...others] = error ? [] : this.inTurn(found);
      if (!first) return done(error, []);
      if (options.all) done(null, [first, ...others]);
      else done(null, first.address, first.family);
    });
  };

  private inTurn(found: LookupAddress[]): LookupAddress[] {
    const from = found.length > 0 ? this.passedOver % found.length : 0;
    return [...found.slice(from), ...found.slice(0, from)];
  }
}
