import type { ConnectionOptions } from 'node:tls';

/** How long a step may take, milliseconds (RFC 5321 section 4.5.3.2, its minima but for the connection itself). */
export interface SmtpTimeouts {
  /** TCP. */
  connect: number;
  /** TCP to one address while the name of the hop has others (RFC 5321 section 5.1). Longer than Node's: a lost packet is repeated after a second. */
  address: number;
  /** Greeting, EHLO, STARTTLS and AUTH together. */
  greeting: number;
  /** MAIL, RCPT and DATA: they go out together where the server offers PIPELINING. */
  command: number;
  /** Each block of the content. */
  block: number;
  /** The answer to the final dot. Short, it makes duplicates: the server may have taken the mail. */
  dot: number;
}

export interface SmtpPoolOptions {
  /** Our name in EHLO; null: as `ownName` says. */
  name: string | null;
  maxConnections: number;
  /** A connection is closed after this many messages. */
  maxMessages: number;
  /** And when it has stood for so many milliseconds. */
  maxAge: number;
  /** Idle connections are closed after so many milliseconds. */
  idle: number;
  /** The first and the longest pause after a connection could not be opened, milliseconds. */
  pause: { first: number; longest: number };
  /** Whoever has not let us in after so many milliseconds, while no connection stands, is told of. */
  silence: number;
  timeouts: SmtpTimeouts;
  /** Further options for TLS, such as a certificate authority of one's own. */
  tls: ConnectionOptions;
}

const MINUTE = 60_000;

export const SMTP_DEFAULTS: SmtpPoolOptions = {
  name: null,
  maxConnections: 10,
  maxMessages: 100,
  maxAge: 5 * MINUTE,
  idle: 10_000,
  pause: { first: 1_000, longest: 30_000 },
  // Longer than TCP may take, which tells more.
  silence: 35_000,
  timeouts: {
    ...{ connect: 30_000, address: 2_500, greeting: 5 * MINUTE },
    ...{ command: 5 * MINUTE, block: 3 * MINUTE, dot: 10 * MINUTE },
  },
  tls: {},
};
