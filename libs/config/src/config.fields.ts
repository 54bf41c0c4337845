import { urlIn } from '@lettermill/web';
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { parseSmtpUrl, type NextHop } from './smtp.url';

/** The value of a variable, or a text that says what is wrong with it. Both are wrapped, because values may be texts, too. */
export type Reading<T> = { value: T } | { fault: string };
export type Reader<T> = (text: string) => Reading<T>;

const value = <T>(value: T): Reading<T> => ({ value });
const fault = (fault: string): Reading<never> => ({ fault });

/** Repeats the input in a fault, unless it has an @: what comes before that may be a password. */
const quoteUnlessSecret = (verb: 'is' | 'has', input: string) => (input.includes('@') ? '' : `, ${verb} «${input}»`);

export const text: Reader<string> = (input) => value(input);

export function minLength(characters: number): Reader<string> {
  return (input) => (input.length >= characters ? value(input) : fault(`must have at least ${characters} characters`));
}

/** A key that an `Authorization` header can carry: any other would be created, but could never be used. */
export const apiKey: Reader<string> = (input) => {
  const reading = minLength(20)(input);
  if ('fault' in reading || /^[\x21-\x7e]{1,512}$/.test(input)) return reading;
  return fault('must be visible ASCII without blanks, at most 512 characters');
};

export function integer(min: number, max: number): Reader<number> {
  return (input) => {
    const number = Number(input);
    const fits = /^\d+$/.test(input) && number >= min && number <= max;
    return fits ? value(number) : fault(`must be a whole number from ${min} to ${max}, is «${input}»`);
  };
}

export function oneOf<T extends string>(...allowed: T[]): Reader<T> {
  return (input) =>
    allowed.includes(input as T) ? value(input as T) : fault(`must be one of ${allowed.join(', ')}, is «${input}»`);
}

/**
 * Paths are appended to it, so it must not have a query or fragment. An address with a user is not repeated in the fault. The value is
 * in the form that headers need: the host in A-labels, and no character in the path that would end a link.
 */
export const httpUrl: Reader<string> = (input) => {
  const url = urlIn(input);
  if (!url || !/^https?:\/\//i.test(input))
    return fault(`must be an http:// or https:// address${quoteUnlessSecret('is', input)}`);
  const { username, password, href } = url;
  if (username || password) return fault('must be an address without user and password');
  if (/[?#]/.test(input)) return fault(`must be an address without ? and #${quoteUnlessSecret('is', input)}`);
  return value(href.replace(/\/$/, ''));
};

/** The address of a gateway. What is made of it has a path of its own: that of the API, or of unsubscribe links. */
export const gatewayUrl: Reader<string> = (input) =>
  /\/v2\/?$/.test(input) ? fault(`must be the address without /v2${quoteUnlessSecret('is', input)}`) : httpUrl(input);

/** A domain in the form that mail is sent to: A-labels, in lower case. */
export const domain: Reader<string> = (input) => {
  const name = domainToASCII(input);
  const fits =
    name.length <= 180 &&
    /^(?=.*[a-z])(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(name);
  return fits ? value(name) : fault(`must be a domain such as mail.example.com, is «${input}»`);
};

/** Items separated by commas. */
function commaSeparated(input: string): string[] {
  return input
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
}

/**
 * Keys separated by blanks, which no key contains. Key ids are refused, since they would revoke nothing. Parts between commas count
 * as keys, too, if they can be any: to revoke a key that does not exist does no harm. The fault never repeats a key.
 */
export const apiKeys: Reader<string[]> = (input) => {
  const keys = input.split(/\s+/).filter(Boolean);
  const wrong = keys.findIndex((key) => 'fault' in apiKey(key));
  const withParts = keys.flatMap((key) => [key, ...key.split(',').filter((part) => 'value' in apiKey(part))]);
  if (wrong < 0) return value([...new Set(withParts)]);
  return fault(`must be API keys as they are sent, separated by blanks; number ${wrong + 1} is not one`);
};

/** `host:port`, separated by commas. */
export const brokers: Reader<string[]> = (input) => {
  const items = commaSeparated(input);
  const wrong = items.find((item) => {
    const [, port] = /^[^\s:/@]+:(\d{1,5})$/.exec(item) ?? [];
    return !(Number(port) > 0 && Number(port) <= 65535);
  });
  if (wrong !== undefined) return fault(`must be host:port, separated by commas${quoteUnlessSecret('has', wrong)}`);
  return items.length > 0 ? value(items) : fault('names no broker');
};

/** What Kafka allows in the name of a topic, short enough for our names to follow it. */
export const topicPrefix: Reader<string> = (input) =>
  /^[A-Za-z0-9._-]{1,200}$/.test(input)
    ? value(input)
    : fault(`must be letters, digits, dots, hyphens and underscores, 200 at most, is «${input}»`);

/** Address ranges such as 10.0.0.0/8; a single address needs no prefix length. */
export const cidrs: Reader<string[]> = (input) => {
  const items = commaSeparated(input);
  const wrong = items.find((item) => {
    const [address = '', prefix = '0', ...rest] = item.split('/');
    const bits = isIP(address) === 6 ? 128 : 32;
    return isIP(address) === 0 || !/^\d{1,3}$/.test(prefix) || Number(prefix) > bits || rest.length > 0;
  });
  return wrong === undefined ? value(items) : fault(`must be address ranges such as 10.0.0.0/8, has «${wrong}»`);
};

/** Addresses of name servers, each with its port unless that is 53: `127.0.0.1:5353`, `[::1]:5353`. */
export const dnsServers: Reader<string[]> = (input) => {
  const items = commaSeparated(input);
  const wrong = items.find((item) => {
    const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(item) ?? [];
    const family = isIP(bracketed ?? plain ?? item);
    const number = Number(port ?? 53);
    return family === 0 || (bracketed !== undefined && family === 4) || number === 0 || number > 65535;
  });
  if (wrong !== undefined) return fault(`must be IP addresses of name servers, has «${wrong}»`);
  return items.length > 0 ? value(items) : fault('names no server');
};

/** Thirty days in seconds. */
const MAX_RETRY_DELAY_SECONDS = 2_592_000;

export const retryDelays: Reader<number[]> = (input) => {
  const items = input.split(',').map((item) => item.trim());
  return items.every((item) => /^\d+(\.\d+)?$/.test(item) && Number(item) <= MAX_RETRY_DELAY_SECONDS)
    ? value(items.map(Number))
    : fault(`must be seconds (${MAX_RETRY_DELAY_SECONDS} at most each), separated by commas, is «${input}»`);
};

const ratePerSecond =
  (others: string): Reader<number> =>
  (input) =>
    /^\d{1,6}(\.\d{1,3})?$/.test(input) && Number(input) > 0
      ? value(Number(input))
      : fault(`must be a number per second from 0.001 to 999999${others}, is «${input}»`);

export const perSecond = ratePerSecond('');

/** A rate in which 0 means none at all. */
export const perSecondOrNone: Reader<number> = (input) =>
  /^0+$/.test(input) ? value(0) : ratePerSecond(', or 0 for none')(input);

/** `example.com=5,*=20`: domains in A-labels, each named once; `*` for all others. */
export function byDomain(reader: Reader<number>): Reader<ReadonlyMap<string, number>> {
  return (input) => {
    const found = new Map<string, number>();
    for (const item of input.split(',').map((one) => one.trim().toLowerCase())) {
      if (item === '') continue;
      const [, name = '', number = ''] = /^([^\s=]+)=(\S+)$/.exec(item) ?? [];
      const named = name === '*' ? value(name) : domain(name);
      if ('fault' in named) return fault(`must be domain=number, separated by commas, or *=number, has «${item}»`);
      if (found.has(named.value)) return fault(`names ${named.value} twice`);
      const reading = reader(number);
      if ('fault' in reading) return fault(`of ${named.value} ${reading.fault}`);
      found.set(named.value, reading.value);
    }
    return value(found);
  };
}

export interface RateLimit {
  requests: number;
  seconds: number;
}

export const rateLimit: Reader<RateLimit | null> = (input) => {
  if (input === '0') return value(null);
  const [, requests, seconds] = /^(\d{1,15})\/(\d{1,9})$/.exec(input) ?? [];
  return Number(requests) > 0 && Number(seconds) > 0
    ? value({ requests: Number(requests), seconds: Number(seconds) })
    : fault(`must be requests/seconds (such as 6000/60, 15 and nine digits at most) or 0, is «${input}»`);
};

/** The fault never repeats the URL: it may contain a password. */
export const nextHop: Reader<NextHop> = (input) => {
  const parsed = parseSmtpUrl(input);
  return typeof parsed === 'string' ? fault(parsed) : value(parsed);
};
