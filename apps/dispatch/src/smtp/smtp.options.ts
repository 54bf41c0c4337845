import type { LookupFunction } from 'node:net';
import type { ConnectionOptions } from 'node:tls';

/** How long a step may take, in milliseconds (the minima of RFC 5321 section 4.5.3.2, except for the connection itself). */
export interface SmtpTimeouts {
  /** The TCP connection. */
  connect: number;
  /**
   * The TCP connection to one address if the name of the hop has others (RFC 5321 section 5.1). Longer than Node's default: a lost packet
   * is repeated after a second.
   */
  address: number;
  /** Greeting, EHLO, STARTTLS and AUTH together. */
  greeting: number;
  /** MAIL, RCPT and DATA, which are sent together if the server offers PIPELINING. */
  command: number;
  /**
   * MAIL on a connection that was not opened just now: its other end may be gone without a word. Nothing was handed over then, and the
   * mail takes another connection, so this is shorter than the minimum; a hop that is only busy answers within it.
   */
  used: number;
  /** Each block of the content. */
  block: number;
  /** The answer to the final dot. A short time makes duplicates: the server may have taken the mail. */
  dot: number;
}

export interface SmtpPoolOptions {
  /** Our name in EHLO; null: what `ownName` returns. */
  name: string | null;
  maxConnections: number;
  /** A connection is closed after this many messages. */
  maxMessages: number;
  /** And after this many milliseconds. */
  maxAge: number;
  /** Idle connections are closed after this many milliseconds. */
  idle: number;
  /** The first and the longest pause after a connection could not be opened, milliseconds. */
  pause: { first: number; longest: number };
  /** While no connection is open, the hop is reported as silent if it has not let us in after this many milliseconds. */
  silence: number;
  timeouts: SmtpTimeouts;
  /** Finds the addresses of the hop; that of Node if there is none. */
  lookup?: LookupFunction;
  /** Further options for TLS, such as a private certificate authority. */
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
  // Longer than the limit for TCP, whose fault says more.
  silence: 35_000,
  timeouts: {
    connect: 30_000,
    address: 2_500,
    greeting: 5 * MINUTE,
    command: 5 * MINUTE,
    used: MINUTE,
    block: 3 * MINUTE,
    dot: 10 * MINUTE,
  },
  tls: {},
};
